import type { Argument, Command, Option } from 'commander'
import { loadProgram } from '../../../lib/cli/program.ts'
import type { Generator } from '../generator.ts'
import { markdownTable } from '../reference/markdown-table.ts'

/** docs/reference/commands: a page per command, from what its `--help` is made of. */
export const commands: Generator = {
  name: 'commands',
  make: async () => {
    const program = await loadProgram([])
    const all = program.commands.filter(isShown).toSorted((a, b) => (a.name() < b.name() ? -1 : 1))
    const pages = all.map(command => [`docs/reference/commands/${command.name()}.md`, page(command)] as const)
    return Object.fromEntries([['docs/reference/commands.md', index(all)], ...pages])
  },
}

const made = '<!-- made by npm run docs: change the command, not this page -->'

/** A command that help lists: commander marks the others. */
const isShown = (command: Command): boolean => (command as unknown as { _hidden?: boolean })._hidden !== true

const index = (all: readonly Command[]): string => `# Commands

${made}

\`keelson COMMAND --help\` prints what these pages say. In a clone, \`npx keelson\` is the command.

${markdownTable(
  ['command', 'what it does'],
  all.map(command => [`[${command.name()}](commands/${command.name()}.md)`, upperFirst(summaryOf(command))]),
)}
`

const summaryOf = (command: Command): string => command.summary() || command.description().split('\n')[0]!

const page = (command: Command): string =>
  `${[`# keelson ${command.name()}`, made, ...bodies(command, `keelson ${command.name()}`, 2)].join('\n\n')}\n`

/** The parts of one command, and of the commands below it. */
const bodies = (command: Command, path: string, level: number): readonly string[] => {
  const below = command.commands.filter(isShown)
  return [
    command.description(),
    `\`\`\`text\n${path} ${command.usage()}\n\`\`\``,
    section(level, 'Arguments', ['argument', 'description'], command.registeredArguments.map(argumentRow)),
    section(level, 'Flags', ['flag', 'description'], command.options.filter(({ hidden }) => !hidden).map(optionRow)),
    examplesOf(command, level),
    ...below.flatMap(child => [
      `${'#'.repeat(level)} ${path} ${child.name()}`,
      ...bodies(child, `${path} ${child.name()}`, level + 1),
    ]),
  ].filter(part => part !== '')
}

const section = (
  level: number,
  title: string,
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): string => (rows.length === 0 ? '' : `${'#'.repeat(level)} ${title}\n\n${markdownTable(heads, rows)}`)

const argumentRow = (argument: Argument): readonly string[] => [
  `\`${argument.required ? `<${argument.name()}>` : `[${argument.name()}]`}${argument.variadic ? '...' : ''}\``,
  [argument.description, choicesOf(argument.argChoices)].filter(Boolean).join(' '),
]

const optionRow = (option: Option): readonly string[] => [
  `\`${option.flags}\``,
  [upperFirst(option.description), choicesOf(option.argChoices), defaultOf(option)].filter(Boolean).join('. '),
]

const choicesOf = (choices: readonly string[] | undefined): string =>
  choices ? `One of ${choices.map(choice => `\`${choice}\``).join(', ')}` : ''

const defaultOf = ({ defaultValue, defaultValueDescription }: Option): string => {
  if (defaultValueDescription !== undefined) return `Default: ${defaultValueDescription}`
  const isInformative = (typeof defaultValue === 'string' && defaultValue !== '') || typeof defaultValue === 'number'
  return isInformative ? `Default: \`${defaultValue}\`` : ''
}

/** What help prints after the flags: examples, and notes. */
const examplesOf = (command: Command, level: number): string => {
  let printed = ''
  command.configureOutput({ writeOut: text => (printed += text) })
  command.outputHelp()
  const after = printed.slice(command.helpInformation().length).replaceAll(/^\n+|\s+$/g, '')
  if (after === '') return ''
  const [, title = 'Notes', text = after] = /^(\w[\w ]*):\n([\s\S]*)$/.exec(after) ?? []
  return `${'#'.repeat(level)} ${title}\n\n\`\`\`text\n${unindented(text)}\n\`\`\``
}

const unindented = (text: string): string => {
  const depth = Math.min(...text.split('\n').flatMap(line => (line.trim() === '' ? [] : [line.search(/\S/)])))
  return text
    .split('\n')
    .map(line => line.slice(depth))
    .join('\n')
}

const upperFirst = (text: string): string => `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`
