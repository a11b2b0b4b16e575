/** Calls `handle` for each line of a stream. */
export function eachLine(stream, handle) {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    for (const line of lines) handle(line);
  });
}
