import type { Command } from 'commander'

/**
 * Reports an unknown flag, with the nearest known flag, before a missing required one, as kubectl and flux do: a misspelt required
 * flag is both, and only the first error shows the mistake.
 */
export const withUnknownFlagsFirst = (command: Command): Command => {
  const parse = command.parseOptions.bind(command)
  command.parseOptions = args => {
    const parsed = parse(args)
    if (parsed.unknown.length > 0) for (const option of command.options) option.mandatory = false
    return parsed
  }
  for (const below of command.commands) withUnknownFlagsFirst(below)
  return command
}
