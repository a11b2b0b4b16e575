/**
 * Words that change the meaning of a renamed field, a value or a tool. A rename that adds or drops one of them never
 * counts as the same field, even if everything else agrees.
 *
 * @module
 */

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Words for kinds of values: `user` and `user_mail` are different unless the descriptions say otherwise. */
export const KINDS = words("email mail address url uri link path file dir directory token index count type");

export const UNITS = words(
  `cent cents euro euros eur usd gbp dollar dollars ms msec millis millisecond milliseconds second seconds sec secs minute
  minutes min mins hour hours hrs day days week weeks month months year years byte bytes kb mb gb tb kib mib gib bit bits
  percent percentage pct ratio fraction meter meters metre metres km kilometers kilometres mile miles mi feet ft inch inches
  cm mm pixel pixels px point points pt em celsius fahrenheit kelvin degrees radians utc local kg gram grams lb lbs pound
  pounds ounce ounces liter liters litre litres gallon gallons hex base64 encoded raw minor major net gross total subtotal
  average avg per each`,
);

/**
 * Words for how a thing is identified: by a name, an id, a time, a language. `channel_name` and `channel_id` are both
 * text.
 */
export const IDENTITIES = words(
  `id ids uuid guid key keys slug code hash number name names handle login username account title label date datetime
  timestamp time epoch unix iso page offset cursor position html markdown md json xml csv yaml sql jql cql graphql regex
  regexp glob xpath format`,
);

/** Words that select one of two opposites. */
export const TURNS = words(
  `no not non never without exclude excluded excluding except disable disabled enable enabled off on skip min max start end
  from to source target before after old new include included sender recipient receiver buyer seller payer payee parent
  child caller origin destination input output left right first last ascending descending asc desc visible hidden public
  private open closed allow deny read write unread active inactive since until lower upper`,
);

/** New fields with these names change how a call works, so a call without them may do something else. */
export const MODES = words(
  `dry preview draft simulate simulation sandbox test mode async background confirm confirmed approve force unit units
  currency timezone tz locale language lang encoding format`,
);

/** Words of a description that negate or reverse what a tool does. */
export const DENIALS = words(
  `no not non never without except exclude excludes excluding instead permanently irreversibly delete deletes deleted remove
  removes destroy destroys refund refunds charge charges cancel cancels draft drafts`,
);
