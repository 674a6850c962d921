/** Records what cel-go makes of the expressions in `test/unit/cel`: `node test/recorders/cel.ts`. */
import { writeFileSync } from 'node:fs'
import { askCelOracle, type CelAnswer } from '../bed/cel-oracle.ts'
import { data } from '../unit/cel/expressions/data.ts'
import { expressions } from '../unit/cel/expressions/groups.ts'

const outcomeOf = ({ value, parseError, error }: CelAnswer): string => {
  if (parseError) return parseError.startsWith('failed to create') ? parseError : 'parse error'
  return value ?? `error: ${error}`
}

const write = (name: string, recorded: object): void =>
  writeFileSync(new URL(`../unit/cel/${name}.recorded.json`, import.meta.url), `${JSON.stringify(recorded, null, 1)}\n`)

for (const [kind, groups] of Object.entries(expressions)) {
  const texts = [...new Set(Object.values(groups).flat())]
  const answers = await askCelOracle(texts.map(expression => ({ expression, data })))
  write(`expressions/${kind}`, Object.fromEntries(texts.map((text, at) => [text, outcomeOf(answers[at]!)])))
}
