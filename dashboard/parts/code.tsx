/** Code with line numbers and colours, and with marked lines. */
import { useEffect, useRef } from "preact/hooks";
import { lines } from "./highlight.js";

export interface LineMark {
  readonly line: number;
  /** `sensitive`: a call that needs a person. `here`: the line that the reader asked for. */
  readonly kind: "sensitive" | "here";
  readonly why?: string;
}

export function Code({
  code,
  marks = [],
  label,
}: {
  readonly code: string;
  readonly marks?: readonly LineMark[];
  readonly label: string;
}) {
  const box = useRef<HTMLPreElement>(null);
  const here = marks.find(({ kind }) => kind === "here")?.line;
  useEffect(() => {
    const line = here === undefined ? undefined : box.current?.querySelector<HTMLElement>(".line.here");
    if (line && box.current) box.current.scrollTop = line.offsetTop - box.current.clientHeight / 2;
  }, [here, code]);
  return (
    <pre class="code" ref={box} tabIndex={0} role="region" aria-label={label}>
      {lines(code.replace(/\n$/, "")).map((line, at) => {
        const mark = marks.find((one) => one.line === at + 1);
        return (
          <div class={`line ${mark?.kind ?? ""}`} key={at}>
            <span class="number" aria-hidden="true">
              {at + 1}
            </span>
            <code>
              {line.map(({ kind, text }, place) => (
                <span class={`t-${kind}`} key={place}>
                  {text}
                </span>
              ))}
              {line.length === 0 ? "\u200b" : null}
            </code>
            {mark?.why === undefined ? null : <span class="why">{mark.why}</span>}
          </div>
        );
      })}
    </pre>
  );
}

/** A value as JSON, with colours. */
export function Value({ value, label }: { readonly value: unknown; readonly label: string }) {
  return <Code code={JSON.stringify(value, undefined, 2) ?? "undefined"} label={label} />;
}
