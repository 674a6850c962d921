/** Records what cel-go makes of the expressions in `test/unit/engines/cel`: `node test/recorders/cel.ts`. */
import { writeFileSync } from 'node:fs'
import { askCelOracle, type CelAnswer, type FluxQuestion, type RuleQuestion } from '../bed/cel-oracle.ts'
import { data } from '../unit/engines/cel/expressions/data.ts'
import { expressions } from '../unit/engines/cel/expressions/groups.ts'
import { checked, objects, variables } from '../unit/engines/cel/flux/checked.ts'
import { healthQuestions } from '../unit/engines/cel/flux/health.ts'
import { estimated, rules } from '../unit/engines/cel/rules/rules.ts'
import { data as ruleData, schema, shapes } from '../unit/engines/cel/rules/schemas.ts'

const outcomeOf = ({ value, parseError, error }: CelAnswer): string => {
  // An address follows.
  if (parseError?.includes('must have constant qualifiers')) return parseError.replace(/: &.*/, '')
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

const costs = async (questions: readonly RuleQuestion[]) => {
  const answers = await askCelOracle(questions)
  return Object.fromEntries(
    questions.map(({ rule }, at) => {
      const { estimate, actual, error, parseError } = answers[at]!
      if (estimate === undefined) throw new Error(`${rule}: ${parseError ?? error}`)
      return [rule, { estimate, ...(actual !== undefined && { actual }) }]
    }),
  )
}

const evaluated = await costs(
  Object.values(rules).flatMap(group => group.map(rule => ({ rule, schema, data: ruleData }))),
)
const unevaluated = await costs(Object.values(estimated).flatMap(group => group.map(rule => ({ rule, schema }))))
const shaped: Record<string, object> = {}
for (const [title, [shape, about, isRoot = false]] of Object.entries(shapes))
  shaped[title] = await costs(about.map(rule => ({ rule, schema: shape, isRoot })))
write('rules/rules', { ...evaluated, ...unevaluated })
write('rules/shapes', shaped)

const flux = async (questions: readonly FluxQuestion[]): Promise<string[]> =>
  (await askCelOracle(questions)).map(({ value, parseError, error }) => value ?? (parseError ? 'parse error' : error!))

const recordedOf = async (groups: Readonly<Record<string, readonly FluxQuestion[]>>) =>
  Object.fromEntries(
    await Promise.all(Object.entries(groups).map(async ([title, group]) => [title, await flux(group)] as const)),
  )

write('flux/health', await recordedOf(healthQuestions))
write(
  'flux/checked',
  await recordedOf(
    Object.fromEntries(
      Object.entries(checked).map(([title, texts]) => [
        title,
        texts.map(expression => ({ expression, variables, data: objects })),
      ]),
    ),
  ),
)
