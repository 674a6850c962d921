/** Records the passwords that sprig derives for the sites in `go-functions/sites.ts`: `node test/recorders/site-passwords.ts`. */
import { writeFileSync } from 'node:fs'
import { templateOracle } from '../bed/template-oracle.ts'
import { owner, sites } from '../unit/engines/template/go-functions/sites.ts'

await using oracle = await templateOracle()
const passwords: string[] = []
for (const { sort, site, counter } of sites) {
  const template = `{{ derivePassword ${counter} "${sort}" "${owner.password}" "${owner.user}" "${site}" }}`
  passwords.push((await oracle.ask({ functions: 'sprig', template, data: {} })).output!)
}
const file = new URL('../unit/engines/template/go-functions/sites.recorded.json', import.meta.url)
writeFileSync(file, `${JSON.stringify(passwords, null, 1)}\n`)
