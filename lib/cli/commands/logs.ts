import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { styleText } from 'node:util'
import { Command, Option } from 'commander'
import { parseDuration } from '../../foundations/kinds/duration.ts'
import { CommandFailed } from '../command-failed.ts'
import { isColourful } from '../output.ts'

interface Options {
  readonly kind?: string
  readonly name?: string
  readonly namespace?: string
  readonly allNamespaces: boolean
  readonly level?: 'info' | 'error'
  readonly since?: number
}

const examples = `
Examples:
  # What a hub on this machine did about one Kustomization
  keelson serve --log-level info 2> hub.log &
  keelson logs --kind Kustomization --name apps -n flux-system hub.log

  # Failures of the last hour on AWS
  aws logs tail /aws/lambda/keelson-apply --since 1h --format short | cut -d' ' -f2- | keelson logs --level error
`

interface Streams {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean }
}

/** `keelson logs`: the log lines of a hub for some objects, formatted for people. Skips lines that are not JSON. */
export const logsCommand = (env: NodeJS.ProcessEnv, { input, output }: Streams): Command =>
  new Command('logs')
    .summary("filter a hub's log")
    .description("Shows the lines of a hub's log about some objects, from a file or standard input.")
    .argument('[file]', 'log of `keelson serve --log-level info`, or of a function in CloudWatch')
    .option('--kind <kind>', 'about objects of this kind')
    .option('--name <name>', 'about objects of this name')
    .option('-n, --namespace <name>', 'about objects of this namespace', 'flux-system')
    .option('-A, --all-namespaces', 'about objects of all namespaces', false)
    .addOption(new Option('--level <level>', 'only lines of this level').choices(['info', 'error']))
    .option('--since <duration>', 'only lines that are newer than this', since)
    .addHelpText('after', examples)
    .action((file: string | undefined, options: Options) =>
      show(file ? readFile(file) : input, options, output, isColourful(output, env)),
    )

const since = (text: string): number => {
  const ms = parseDuration(text)
  if (ms === undefined) throw new CommandFailed(`--since ${text}: it must be a duration such as 90s or 1h`)
  return Date.now() - ms
}

const readFile = (file: string): NodeJS.ReadableStream => createReadStream(file)

const show = async (
  input: NodeJS.ReadableStream,
  options: Options,
  output: NodeJS.WritableStream,
  colourful: boolean,
): Promise<void> => {
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const entry = entryOf(line)
      if (entry && isWanted(entry, options)) output.write(`${formatEntry(entry, colourful)}\n`)
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code) throw new CommandFailed(`cannot read the log: ${message}`, { cause: error })
    throw error
  }
}

type Entry = Readonly<Record<string, unknown>>

const entryOf = (line: string): Entry | undefined => {
  try {
    const entry: unknown = JSON.parse(line)
    return typeof entry === 'object' && entry !== null ? (entry as Entry) : undefined
  } catch {
    return undefined
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Lambda's logger writes `timestamp`, `message` and upper-case levels; the embedded hub Flux's `ts` and `msg`. */
const timeOf = ({ ts, timestamp }: Entry): string => text(ts) || text(timestamp)
const levelOf = ({ level }: Entry): string => text(level).toLowerCase()

const isWanted = (entry: Entry, { kind, name, namespace, allNamespaces, level, since }: Options): boolean =>
  (level === undefined || levelOf(entry) === level) &&
  (since === undefined || Date.parse(timeOf(entry)) >= since) &&
  (kind === undefined || text(entry.kind).toLowerCase() === kind.toLowerCase()) &&
  (name === undefined || entry.name === name) &&
  (allNamespaces || (kind === undefined && name === undefined) || entry.namespace === namespace)

const shownElsewhere = new Set([
  'ts',
  'timestamp',
  'level',
  'msg',
  'message',
  'kind',
  'name',
  'namespace',
  'error',
  'reason',
])

const formatEntry = (entry: Entry, colourful: boolean): string => {
  const object = entry.kind ? `${text(entry.kind)}/${text(entry.name)}.${text(entry.namespace)}` : ''
  const message = text(entry.msg) || text(entry.message)
  const rest = Object.entries(entry)
    .filter(([key]) => !shownElsewhere.has(key))
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const level = levelOf(entry)
  const painted = colourful && level === 'error' ? styleText('red', level, { validateStream: false }) : level
  const parts = [timeOf(entry), painted, object, object && '-', text(entry.reason), message, text(entry.error), ...rest]
  return parts.filter(part => part !== '').join(' ')
}
