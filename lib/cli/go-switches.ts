import type { Command } from 'commander'

const TRUE = ['1', 't', 'T', 'true', 'TRUE', 'True']
const FALSE = ['0', 'f', 'F', 'false', 'FALSE', 'False']

/** Lets a command's switches be written as `--switch=true` and `--switch=false` too, as Go programs take them. */
export const switchesAsGoTakesThem = (command: Command): Command => {
  const parse = command.parseOptions.bind(command)
  command.parseOptions = args => parse(args.flatMap(arg => plainSwitch(command, arg)))
  return command
}

const plainSwitch = (command: Command, arg: string): string[] => {
  const [name = '', value] = arg.split('=', 2)
  const option = command.options.find(({ long }) => long === name)
  if (value === undefined || !option?.isBoolean()) return [arg]
  if (TRUE.includes(value)) return [name]
  return FALSE.includes(value) ? [] : [arg]
}
