import type { Command, Option } from 'commander'

/** What shells can complete after a command. */
export interface CompletionNode {
  /** The command's words, without aliases: `build kustomization`; empty for the program itself. */
  readonly path: string
  /** Commands, or the values of the first argument. */
  readonly commands: readonly CompletedWord[]
  readonly options: readonly CompletedOption[]
  /** Aliases of the last word of the path. */
  readonly aliases: readonly string[]
}

export interface CompletedWord {
  readonly word: string
  readonly description: string
}

export interface CompletedOption extends CompletedWord {
  /** `-n`, where there is one. */
  readonly short?: string
  readonly takesValue: boolean
  /** All possible values; if empty, a file. */
  readonly values: readonly string[]
}

/** A program and all its commands, the program first. */
export const completionTree = (command: Command, path = ''): readonly CompletionNode[] => [
  {
    path,
    aliases: path === '' ? [] : command.aliases(),
    commands: [
      ...command.commands.map(below => ({ word: below.name(), description: below.summary() || oneLine(below) })),
      ...(command.registeredArguments[0]?.argChoices ?? []).map(word => ({ word, description: '' })),
    ],
    options: [...command.options.filter(({ hidden, long }) => !hidden && long).map(completedOption), help],
  },
  ...command.commands.flatMap(below => completionTree(below, path === '' ? below.name() : `${path} ${below.name()}`)),
]

const help: CompletedOption = {
  word: '--help',
  short: '-h',
  description: 'display help',
  takesValue: false,
  values: [],
}

const completedOption = (option: Option): CompletedOption => ({
  word: option.long!,
  ...(option.short && { short: option.short }),
  description: option.description,
  takesValue: option.required || option.optional,
  values: option.argChoices ?? [],
})

const oneLine = (command: Command): string => command.description().split('\n')[0]!
