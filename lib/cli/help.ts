import { type Command, Help, type Option } from 'commander'

/** Omits defaults without information from the help, like kubectl: false, and empty values. */
export const withPlainHelp = (command: Command): Command => {
  command.configureHelp({ optionDescription: describeOption })
  for (const below of command.commands) withPlainHelp(below)
  return command
}

const describeOption = (option: Option): string =>
  isUninformative(option) ? option.description : new Help().optionDescription(option)

const isUninformative = ({ defaultValue: value, defaultValueDescription, argChoices }: Option): boolean => {
  if (defaultValueDescription !== undefined || argChoices) return false
  return (
    value === false || value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
  )
}
