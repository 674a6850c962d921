/** Records what Go makes of the calls in `go-functions/`: `node test/recorders/template-functions.ts [FAMILY...]`. */
import { writeFileSync } from 'node:fs'
import { templateOracle } from '../bed/template-oracle.ts'
import { families } from '../unit/engines/template/go-functions/families.ts'
import { templateOf } from '../unit/engines/template/go-functions/family.ts'

const asked = process.argv.slice(2)
await using oracle = await templateOracle()
for (const [name, family] of Object.entries(families)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  const recorded: Record<string, string> = {}
  for (const call of Object.values(family.calls).flat()) {
    const { output, error } = await oracle.ask({
      functions: family.functions,
      template: templateOf(family, call),
      data: {},
    })
    recorded[call] = output ?? error!
  }
  const file = new URL(`../unit/engines/template/go-functions/${name}.recorded.json`, import.meta.url)
  writeFileSync(file, `${JSON.stringify(recorded, null, 1)}\n`)
}
