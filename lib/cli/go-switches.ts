import type { Command } from 'commander'
import { parseBool } from '../foundations/go/parse-bool.ts'

/** Accepts `--switch=true` and `--switch=false` for a command's switches too, like Go programs. */
export const allowGoBooleans = (command: Command): Command => {
  const parse = command.parseOptions.bind(command)
  command.parseOptions = args => parse(args.flatMap(arg => plainSwitch(command, arg)))
  return command
}

const plainSwitch = (command: Command, arg: string): string[] => {
  const [name = '', value] = arg.split('=', 2)
  const option = command.options.find(({ long }) => long === name)
  if (value === undefined || !option?.isBoolean()) return [arg]
  const given = parseBool(value)
  if (given === undefined) return [arg]
  return given ? [name] : []
}
