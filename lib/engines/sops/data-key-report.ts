import { describeKey, type MasterKey } from './master-key.ts'

/** The result of one group of keys: its part of the data key, or why each of its keys failed. */
export interface GroupResult {
  readonly group: readonly MasterKey[]
  readonly part?: Uint8Array
  readonly problems: readonly string[]
}

const maxKeysShown = 20
const noKey =
  'Recovery failed because no master key was able to decrypt the file. In order for SOPS to recover the file, at least one key has to be successful, but none were.'

/** Lists every key that was tried and its result, formatted as in sops. */
export const dataKeyReport = (results: readonly GroupResult[], threshold: number): string => {
  const groups = results.map((result, index) => describeGroup(result, index)).join('\n\n')
  const recovered = results.filter(({ part }) => part).length
  const trailer = threshold === 0 ? noKey : tooFew(threshold, recovered)
  return `Failed to get the data key required to decrypt the SOPS file.\n\n${groups}\n\n${wrap(trailer, 75)}`
}

const tooFew = (threshold: number, recovered: number): string =>
  `Recovery failed because the file was encrypted with a Shamir threshold of ${threshold}, but only ${recovered} part(s) were successfully recovered, one for each successful key group. In order for SOPS to recover the file, at least ${threshold} groups have to be successful. In order for a group to be successful, decryption has to succeed with any of the keys in that key group.`

const describeGroup = ({ group, part, problems }: GroupResult, index: number): string => {
  if (part) return `Group ${index}: SUCCESS`
  const shown = problems.slice(0, maxKeysShown).map((problem, i) => describeProblem(group[i]!, problem))
  const more = problems.length > shown.length ? [`and ${problems.length - shown.length} more keys`] : []
  return `Group ${index}: FAILED\n${prefixed([...shown, ...more].join('\n\n'), '  ')}`
}

const describeProblem = (key: MasterKey, problem: string): string =>
  `${describeKey(key)}: FAILED\n${prefixed(`-${prefixed(wrap(problem, 60), '  | ').slice(1)}`, '  ')}`

const prefixed = (text: string, prefix: string): string =>
  text
    .split('\n')
    .map(line => prefix + line)
    .join('\n')

/** Breaks lines at the last space before a width, never within a word. */
const wrap = (text: string, width: number): string =>
  text
    .split('\n')
    .map(line => wrapLine(line, width))
    .join('\n')

const wrapLine = (line: string, width: number): string =>
  line.split(' ').reduce((lines, word) => {
    const column = lines.length - lines.lastIndexOf('\n') - 1
    return lines === '' ? word : `${lines}${column + 1 + word.length > width ? '\n' : ' '}${word}`
  }, '')
