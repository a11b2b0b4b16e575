/**
 * Words that may be exchanged for one another when an intent is compared with a capability. Wider than the groups that
 * find things (`vocabulary.ts`): here the rest of the sentence, the verb and the arguments have to agree as well.
 *
 * @module
 */
import { wordKey } from "../vocabulary.js";

const GROUPS = `
invoice bill
customer client
employee staff salarie worker colleague
event meeting appointment agenda schedule
ticket issue bug
spreadsheet sheet workbook
row line record entry
folder directory
picture image photo pic
screenshot pic picture capture snapshot
song track music
email mail courriel
message post msg chat
task todo
product article
user member
booking reservation
repository repo
website site
page webpage site
text sentence paragraph
document file doc paper
file document
celsius centigrade c
fahrenheit f
kilogram kg kilo
pound lb
kilometre kilometer km
mile mi
metre meter
euro eur
dollar usd
french fr
english en
german de
spanish es
unpaid outstanding unsettled
total sum
failing failed broken error crashing crash failure fail
latest last recent newest new
next coming upcoming
broken dead
overdue late delinquent
contain include
identical duplicate
participant attendee guest invitee
link url hyperlink
cart basket
shop store
presentation slides deck slideshow
thumbnail miniature
revenue turnover
subtitle caption
route itinerary direction
mailbox inbox
manager boss supervisor
config setting preference
certificate cert
headline title
empty blank
free available vacant
cheapest lowest
oldest earliest
faulty broken
fast quick
slow slowest
server machine instance vm
deadline due
movie film video
old stale obsolete
fact information observation info detail
price cost
checksum hash digest fingerprint
comment remark
reply answer response
temperature degree
weather meteo
database db
column field
password passcode
server host machine
error exception
log journal
city town
country nation
phone telephone mobile
vacation leave holiday
salary pay wage
company business firm organization organisation
supplier vendor
order purchase
shipment delivery parcel package
stock inventory
top main best
biggest largest
big large
`;

/** Each word's groups, by number: `line` is in that of `row`. */
const GROUPS_OF = new Map<string, number[]>();
for (const [group, words] of GROUPS.trim().split("\n").entries())
  for (const word of words.split(" ")) {
    const key = wordKey(word);
    GROUPS_OF.set(key, [...(GROUPS_OF.get(key) ?? []), group]);
  }

/** What the key of an adverb ends in. */
const ADVERB = "li";

/** Whether two words, by their keys, may stand for the same: `public` and `publicly` too. */
export function isSameWord(one: string, other: string): boolean {
  if (one === other || one === `${other}${ADVERB}` || other === `${one}${ADVERB}`) return true;
  const others = GROUPS_OF.get(other);
  return others !== undefined && (GROUPS_OF.get(one)?.some((group) => others.includes(group)) ?? false);
}

/** It stands in a group, so it is spelt as it should be. */
export function isGrouped(word: string): boolean {
  return GROUPS_OF.has(wordKey(word));
}

export function has(keys: ReadonlySet<string>, key: string): boolean {
  return keys.has(key) || [...keys].some((one) => isSameWord(one, key));
}

export function share(ones: readonly string[], others: readonly string[]): boolean {
  return ones.some((one) => others.some((other) => isSameWord(one, other)));
}
