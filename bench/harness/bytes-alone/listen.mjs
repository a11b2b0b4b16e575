/** Prints its address on stdout, and ends with stdin, whose other end the benchmark holds. */
export function listen(server, where) {
  process.stdin.resume().once("end", () => process.exit());
  server.listen(where, () => {
    const address = server.address();
    console.log(typeof address === "string" ? address : `http://127.0.0.1:${address.port}/mcp`);
  });
}
