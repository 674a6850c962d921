import { InvalidValue, type ValueFormat } from './value-format.ts'

/** Something that an operator can set. */
export interface Setting<T = unknown, Default = T> {
  /** For help texts and docs, without a full stop. Functions have none: infra/undescribed.ts. */
  readonly description: string
  readonly form: ValueFormat<T>
  readonly byDefault: Default
}

// biome-ignore lint/suspicious/noExplicitAny: settings of all types; `SettingValues` says what each holds.
export type SettingDeclarations = Readonly<Record<string, Setting<any, unknown>>>

/** The values of settings, by name. */
export type SettingValues<Of extends SettingDeclarations> = {
  readonly [Name in keyof Of]: Of[Name] extends Setting<infer T, infer Default> ? T | Default : never
}

/** A setting with a default in its own type. */
export const setting = <T>(description: string, form: ValueFormat<T>, byDefault: NoInfer<T>): Setting<T> => ({
  description,
  form,
  byDefault,
})

/** A setting without a default: undefined unless set. */
export const optionalSetting = <T>(description: string, form: ValueFormat<T>): Setting<T, undefined> => ({
  ...{ description, form, byDefault: undefined },
})

/** A default in an operator's notation; empty if there is none. */
export const formatDefault = ({ form, byDefault }: SettingDeclarations[string]): string =>
  byDefault === undefined ? '' : form.write(byDefault)

/**
 * Parses settings by name; values are text from a command line, or JSON from a file. Absent or empty ones get their default. Returns all
 * faults at once, including unknown names.
 */
export const parseSettings = <Of extends SettingDeclarations>(
  settings: Of,
  given: Readonly<Record<string, unknown>>,
): { readonly values: SettingValues<Of>; readonly faults: readonly string[] } => {
  const names = Object.keys(settings)
  const faults = Object.keys(given)
    .filter(name => !names.includes(name))
    .map(name => `${name} is unknown: did you mean ${nearestName(name, names)}?`)
  const read = (name: string, { form, byDefault }: SettingDeclarations[string]): unknown => {
    const value = given[name]
    if (value === undefined || value === '') return byDefault
    try {
      return form.read(textOf(value, form))
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error
      faults.push(`${name} ${error.message}`)
      return byDefault
    }
  }
  const values = Object.entries(settings).map(([name, of]) => [name, read(name, of)])
  return { values: Object.fromEntries(values) as SettingValues<Of>, faults }
}

/** A JSON value as text, as on a command line. */
const textOf = (value: unknown, { expected }: ValueFormat<unknown>): string => {
  if (Array.isArray(value) && value.every(isPlain)) return value.join(',')
  if (isPlain(value)) return String(value)
  throw new InvalidValue(`is ${JSON.stringify(value)}`, expected)
}

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)

/** The closest name: the one with the fewest edits, ignoring case. */
const nearestName = (name: string, names: readonly string[]): string => {
  const distances = names.map(known => ({ known, changes: changesBetween(name.toLowerCase(), known.toLowerCase()) }))
  return distances.reduce((nearest, next) => (next.changes < nearest.changes ? next : nearest)).known
}

/** Levenshtein distance. */
const changesBetween = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries())
      next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (letter === other ? 0 : 1)))
    row = next
  }
  return row[b.length]!
}
