import type { Command } from 'commander'

/**
 * Has an unknown flag reported, with the flag nearest to it, before a required one that is missing, as kubectl and flux do: a
 * required flag that is misspelt is both, and only the first says what is wrong.
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
