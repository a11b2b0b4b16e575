import { withoutInvisible } from "../base/visible-text.js";

interface Words {
  readonly intent?: string;
  readonly description?: string | undefined;
  readonly tags?: readonly string[];
  readonly changeSummary?: string | undefined;
}

/** A copy in which what people say of a capability has no character that no screen shows. */
export function cleanWords<T extends Words>(of: T): T {
  const { intent, description, tags, changeSummary } = of;
  return {
    ...of,
    ...(intent === undefined ? {} : { intent: withoutInvisible(intent) }),
    ...(description === undefined ? {} : { description: withoutInvisible(description) }),
    ...(tags === undefined ? {} : { tags: tags.map(withoutInvisible).filter((tag) => tag !== "") }),
    ...(changeSummary === undefined ? {} : { changeSummary: withoutInvisible(changeSummary) }),
  };
}
