import { Option } from 'commander'
import { formatDefault } from '../compose/settings/setting.ts'
import { type SettingOption, settingOptions, settingsFrom } from '../compose/settings/setting-options.ts'
import type { Settings } from '../compose/settings/settings.ts'
import { argument } from './option-values.ts'

/** A flag for each setting; one with several values may be repeated. */
export const settingFlags = (): Option[] => settingOptions.map(flagOf)

const flagOf = ({ flag, declaration, variable }: SettingOption): Option => {
  const { form, description, byDefault } = declaration
  if (!form.placeholder) return new Option(`--${flag}`, description)
  const option = new Option(`--${flag} <${form.placeholder}>`, description)
  const read = argument(form)
  option.argParser((text: string, before: unknown) => {
    const value = read(text)
    return before === undefined || before === byDefault || !form.join ? value : form.join(before, value)
  })
  const written = formatDefault(declaration)
  if (written) option.default(byDefault, written)
  return variable ? option.env(variable) : option
}

/** The settings in a command's options. */
export const settingsOf = (options: Readonly<Record<string, unknown>>): Settings =>
  settingsFrom(option => {
    const flag = flagOf(option)
    const value = options[flag.attributeName()]
    if (option.declaration.form.placeholder) return value
    return value === !flag.negate
  })
