/** The versions of a capability, each with its changes. */
import type { History } from "../answers.js";
import { call } from "../api.js";
import { useLoaded } from "../loaded.js";
import { Badge, Card, Loading, Problem } from "../parts/bits.js";
import { DiffView } from "../parts/diff-view.js";
import { Time } from "../parts/time.js";

export function CapabilityVersions({ name }: { readonly name: string }) {
  const { state, reload } = useLoaded(
    () => call("cap:history", { name }) as Promise<History>,
    [name],
    ["capability.changed"],
  );
  const { value, error } = state.value;
  if (value === undefined)
    return error === undefined ? <Loading what="the versions" /> : <Problem error={error} retry={reload} />;
  return (
    <>
      {value.versions.map((version) => (
        <Card
          key={version.version}
          title={
            <>
              Version {version.version}{" "}
              {version.version_tag === undefined ? null : <Badge tone="info">{version.version_tag}</Badge>}
            </>
          }
          actions={
            <span class="muted small">
              {version.author}, <Time at={version.date} />
            </span>
          }
        >
          {version.change_summary === undefined ? null : <p>{version.change_summary}</p>}
          {version.diff === undefined ? null : (
            <DiffView diff={version.diff} label={`Changes of version ${version.version}`} />
          )}
          {version.diff_note === undefined ? null : <p class="muted">{version.diff_note}</p>}
        </Card>
      ))}
      {value.renames.length === 0 ? null : (
        <Card title="Names it had">
          <ul class="lines">
            {value.renames.map(({ from, to, by, date, curated_by }) => (
              <li class="line-row" key={`${from} ${date}`}>
                <code>{from}</code> → <code>{to}</code>
                <span class="muted grow">
                  by {by}
                  {curated_by === undefined ? "" : `, suggested by ${curated_by}`}, <Time at={date} />
                </span>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}
