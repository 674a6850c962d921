/** Records what Go's text/template makes of `go-templates.ts`: `node test/recorders/template.ts`. */
import { writeFileSync } from 'node:fs'
import { templateOracle } from '../bed/template-oracle.ts'
import { data, templates } from '../unit/template/go-templates.ts'

await using oracle = await templateOracle()
const recorded: Record<string, string> = {}
for (const template of Object.values(templates).flat()) {
  const { output, error } = await oracle.ask({ functions: 'resourceset', template, data })
  recorded[template] = output ?? error!
}
const file = new URL('../unit/template/go-templates.recorded.json', import.meta.url)
writeFileSync(file, `${JSON.stringify(recorded, null, 1)}\n`)
