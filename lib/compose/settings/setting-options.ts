import { parseSettings, type SettingDeclarations, setting } from './setting.ts'
import { declaredSettings, defaultSettings, type SettingNames, type Settings } from './settings.ts'
import { onOff, pairsOf } from './value-format.ts'

/** An option of `keelson serve` and, where it makes sense on AWS, a context key. */
export interface SettingOption extends Pick<SettingNames, 'variable' | 'only'> {
  /** The context key. */
  readonly key: string
  /** The same as a flag, without its dashes. */
  readonly flag: string
  readonly declaration: SettingDeclarations[string]
  /** The settings for a value of the option. */
  settings(value: unknown): Partial<Settings>
}

const kebab = (name: string): string => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
const camel = (flag: string): string => flag.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase())

const optionOf = ([name, { flag = kebab(name), variable, only, ...declared }]: [
  string,
  SettingDeclarations[string] & SettingNames,
]): SettingOption => {
  const turnsOff = declared.form === onOff && declared.byDefault === true
  return {
    ...{ flag, key: camel(flag), variable, only },
    declaration: turnsOff ? { ...declared, byDefault: false } : declared,
    settings: value => ({ [name]: turnsOff ? !value : value }),
  }
}

const entries = Object.entries(declaredSettings)

/** Only files below `update.path` are fetched, whatever it says. */
const withoutEffect = 'GitSparseCheckout'

/** The settings that each of Flux's feature gates turns on or off. */
const gates = new Map<string, (isOn: boolean) => Partial<Settings>>([
  ...entries.flatMap(([name, { gate, offGate }]) => [
    ...(gate ? [[gate, (isOn: boolean) => ({ [name]: isOn })] as const] : []),
    ...(offGate ? [[offGate, (isOn: boolean) => ({ [name]: !isOn })] as const] : []),
  ]),
  [withoutEffect, () => ({})],
])

const featureGates: SettingOption = {
  ...{ key: 'featureGates', flag: 'feature-gates' },
  declaration: setting(
    `Flux's feature gates, as Name=true: ${[...gates.keys()].join(', ')}`,
    pairsOf([...gates.keys()], onOff),
    {},
  ),
  settings: value =>
    Object.assign({}, ...Object.entries(value as object).map(([gate, isOn]) => gates.get(gate)!(isOn))),
}

/** All options, in the order of help texts and docs. A feature gate overrides a flag. */
export const settingOptions: readonly SettingOption[] = [
  ...entries.filter(([, { flag, gate, offGate }]) => flag || !(gate || offGate)).map(optionOf),
  featureGates,
]

/** Those that are context keys, by key. */
export const settingDeclarations: SettingDeclarations = Object.fromEntries(
  settingOptions.filter(({ only }) => only !== 'embedded').map(option => [option.key, option.declaration]),
)

/** Settings for the values of options, with defaults for the others. */
export const settingsFrom = (valueIn: (option: SettingOption) => unknown): Settings =>
  Object.assign(
    { ...defaultSettings },
    ...settingOptions.map(option => {
      const value = valueIn(option)
      return value === undefined ? {} : option.settings(value)
    }),
  )

/** Settings from context keys; reports all faults at once. */
export const readSettings = (
  given: Readonly<Record<string, unknown>>,
): { readonly settings: Settings; readonly faults: readonly string[] } => {
  const { values, faults } = parseSettings(settingDeclarations, given)
  return { settings: settingsFrom(({ key }) => values[key]), faults }
}
