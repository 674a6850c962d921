/** The value with a function applied to each text in it, keys included. */
export const mapTexts = (value: unknown, change: (text: string) => string): unknown => {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map(item => mapTexts(item, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [change(key), mapTexts(item, change)]))
}

/** What the placeholders of a scenario stand for in this run, by name. */
export type Placeholders = Map<string, string>

/** `${GIT_URL}` and its like in the texts of a value, where they are known. */
export const filled = (value: unknown, placeholders: Placeholders): unknown =>
  mapTexts(value, text => text.replace(/\$\{(\w+)\}/g, (all, name) => placeholders.get(name) ?? all))

/** Texts of this run with the placeholders that the recording has for them. */
export const named = <T>(value: T, placeholders: Placeholders): T =>
  mapTexts(value, text => {
    let plain = text
      // The words of our registry for what the recorded ones say otherwise.
      .replace(/unknown tag=(\S+)/g, 'map[Tag:$1]')
      .replace(/unknown manifest name=(\S+) revision=(\S+)/g, 'map[Name:$1 Revision:$2]')
      .replace(/(finished in|passed in|failed after) [^\s:",]+/g, '$1 ${DURATION}')
      .replace(/ \((?:from|file:|overlay:) [^()]+\)/g, '') // ours: the file that an object came from
    for (const [name, actual] of placeholders) {
      plain = plain.replaceAll(actual, `\${${name}}`)
      if (/^REV\d*$|^REV_/.test(name) || (name.startsWith('OCI_') && /^[0-9a-f]{64}$/.test(actual)))
        plain = plain.replaceAll(actual.slice(0, 12), `\${${name}:12}`)
    }
    return plain
  }) as T

/** The recording, with what this run has wherever the recording leaves it open: `${ANY}`, `${TIME}`, `{oneOf: [...]}`. */
export const settled = (expected: unknown, actual: unknown): unknown => {
  if (typeof expected === 'string') return isSettledBy(expected, actual) ? actual : expected
  if (typeof expected !== 'object' || expected === null) return expected
  if ('oneOf' in expected) return settledChoice(expected.oneOf as readonly unknown[], actual) ?? expected
  if (Array.isArray(expected))
    return expected.map((item, at) => settled(item, Array.isArray(actual) ? actual[at] : undefined))
  return Object.fromEntries(
    Object.entries(expected).map(([key, item]) => [
      key,
      settled(
        item,
        typeof actual === 'object' && actual !== null ? (actual as Record<string, unknown>)[key] : undefined,
      ),
    ]),
  )
}

/** Which object's error Flux tells is left to chance; ours tells all of them. */
const settledChoice = (choices: readonly unknown[], actual: unknown): unknown => {
  const isAll = typeof actual === 'string' && choices.every(one => actual.includes(String(one).trim()))
  return isAll ? actual : choices.map(one => settled(one, actual)).find(one => one === actual)
}

const isSettledBy = (expected: string, actual: unknown): boolean =>
  typeof actual === 'string' ? isLike(expected, actual) : actual !== undefined && expected.replace(open, '') === ''

/** What a parser says of a CEL expression that it can't read is its own. */
const parserComplaint =
  /(failed to parse the CEL expression '[^']*': )[\s\S]*?(?=\n(?:Stalled|Reconciling|Released)=|$)/g

/** How Go prints a value of the wrong type; our hub tells its type only, as it may be a secret. */
const goValue = /got &value\.valueUnstructured\{[^\n]*/g

/** Go tells the errors of an object's fields in random order. */
const inOrder = (text: string): string =>
  text
    .replace(/(?:^ {2}\.\S[^\n]*(?:\n|$))+/gm, lines => `${lines.trimEnd().split('\n').sort().join('\n')}\n`)
    .trimEnd()

/** Names of placeholders whose values differ from run to run, so that nobody can say what they are. */
const open =
  /\$\{(?:ANY|DNS|DURATION|TIME|UID|DIGEST|IP|PORT|SIZE|TMPDIR|DIR(?:_PARENT\w*)?|CLIENT|UNIX|SHA256:\w+:\d+|HTTP_HOST)\}/g

/** Whether a text is as recorded. Flux builds in a folder of its own; here the artifact's root is the root. */
export const isLike = (recorded: string, seen: string): boolean => {
  if (recorded === seen) return true
  const expected = inOrder(recorded.replace(parserComplaint, '$1${ANY}').replace(goValue, 'got ${ANY}'))
  const actual = inOrder(seen)
  if (!expected.includes('${')) return false
  const pattern = expected
    .split(open)
    .map(part => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[\\s\\S]*?')
  return new RegExp(`^${pattern}$`).test(actual)
}
