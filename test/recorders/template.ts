/** Records what Go's text/template makes of the templates of `go-recordings.ts`: `node test/recorders/template.ts`. */
import { writeFileSync } from 'node:fs'
import { templateOracle } from '../bed/template-oracle.ts'
import { recordings } from '../unit/engines/template/go-recordings.ts'
import { data } from '../unit/engines/template/go-templates.ts'

await using oracle = await templateOracle()
for (const { templates, file } of recordings) {
  const recorded: Record<string, string> = {}
  for (const template of Object.values(templates).flat()) {
    const { output, error } = await oracle.ask({ functions: 'resourceset', template, data })
    recorded[template] = output ?? error!
  }
  writeFileSync(file, `${JSON.stringify(recorded, null, 1)}\n`)
}
