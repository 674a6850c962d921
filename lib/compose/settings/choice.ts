import { type Form, WrongForm } from './value-form.ts'

/** Something that an operator may choose. */
export interface Choice<T = unknown, Default = T> {
  /** For help texts and docs: what it is, without a full stop. */
  readonly help: string
  readonly form: Form<T>
  readonly byDefault: Default
}

// biome-ignore lint/suspicious/noExplicitAny: choices of all types; what each holds is said by `Chosen`.
export type Choices = Readonly<Record<string, Choice<any, unknown>>>

/** The values of choices, by their names. */
export type Chosen<Of extends Choices> = {
  readonly [Name in keyof Of]: Of[Name] extends Choice<infer T, infer Default> ? T | Default : never
}

export const choice = <T>(help: string, form: Form<T>, byDefault: NoInfer<T>): Choice<T> => ({ help, form, byDefault })

/** One that stays open unless somebody makes it. */
export const openChoice = <T>(help: string, form: Form<T>): Choice<T, undefined> => ({
  ...{ help, form, byDefault: undefined },
})

/** A default as an operator would write it; empty where there is none. */
export const writtenDefault = ({ form, byDefault }: Choices[string]): string =>
  byDefault === undefined ? '' : form.write(byDefault)

/**
 * Reads what was chosen, by name; values are text as from a command line, or JSON as from a file. What is absent or empty takes its
 * default. Tells all faults at once, names that there are not among them.
 */
export const readChoices = <Of extends Choices>(
  choices: Of,
  given: Readonly<Record<string, unknown>>,
): { readonly values: Chosen<Of>; readonly faults: readonly string[] } => {
  const names = Object.keys(choices)
  const faults = Object.keys(given)
    .filter(name => !names.includes(name))
    .map(name => `${name} is unknown: did you mean ${nearestName(name, names)}?`)
  const read = (name: string, { form, byDefault }: Choices[string]): unknown => {
    const value = given[name]
    if (value === undefined || value === '') return byDefault
    try {
      return form.read(textOf(value, form))
    } catch (error) {
      if (!(error instanceof WrongForm)) throw error
      faults.push(`${name} ${error.message}`)
      return byDefault
    }
  }
  const values = Object.entries(choices).map(([name, of]) => [name, read(name, of)])
  return { values: Object.fromEntries(values) as Chosen<Of>, faults }
}

/** JSON as a command line would have it. */
const textOf = (value: unknown, { expected }: Form<unknown>): string => {
  if (Array.isArray(value) && value.every(isPlain)) return value.join(',')
  if (isPlain(value)) return String(value)
  throw new WrongForm(`is ${JSON.stringify(value)}`, expected)
}

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)

/** The name that was probably meant: the one that takes the fewest changes, whatever the case. */
export const nearestName = (name: string, names: readonly string[]): string => {
  const distances = names.map(known => ({ known, changes: changesBetween(name.toLowerCase(), known.toLowerCase()) }))
  return distances.reduce((nearest, next) => (next.changes < nearest.changes ? next : nearest)).known
}

/** How many letters must be put in, taken out or replaced to make one text of the other. */
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
