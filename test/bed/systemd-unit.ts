import { readFileSync } from 'node:fs'

/**
 * The command line that systemd makes of the `ExecStart=` of a unit (systemd.service(5)): `${NAME}` is a value as it is, and `$NAME` the words of one.
 * Throws if the unit names a variable that is not in the environment, which systemd would take for an empty one.
 */
export const commandLineOf = (unit: string, environment: Readonly<Record<string, string>>): readonly string[] => {
  const [, line] = /^ExecStart=(.*)$/m.exec(readFileSync(unit, 'utf8')) ?? []
  if (!line) throw new Error(`${unit} has no ExecStart=`)
  const valueIn = (name: string): string => {
    const value = environment[name]
    if (value === undefined) throw new Error(`${unit} uses ${name}, which is not set`)
    return value
  }
  return line.split(' ').flatMap(word => {
    const [, name] = /^\$(\w+)$/.exec(word) ?? []
    if (name) return valueIn(name).split(/\s+/).filter(Boolean)
    return [word.replace(/\$\{(\w+)\}/g, (_, name: string) => valueIn(name))]
  })
}
