/**
 * npm run conformance -- SUITE [DIR]
 *
 * Runs every case of a suite found under DIR (default: $KEELSON_CONFORMANCE, or ../shared/conformance beside the project),
 * lists the failures, and ends with the line `N passed, N failed`. The exit code is 1 when any failed or none was found.
 * `kustomize-trees DIR` takes any folder: it builds every kustomization below it beside the real kustomize.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type ConformanceSuite, resultsOf } from './suite.ts'

const root = resolve(import.meta.dirname, '../..')
const names = readdirSync(join(import.meta.dirname, 'suites')).map(file => file.replace(/\.ts$/, ''))
const [name, directory = process.env.KEELSON_CONFORMANCE ?? join(root, '../shared/conformance')] = process.argv.slice(2)

if (!name || !names.includes(name)) {
  console.error(`usage: npm run conformance -- SUITE [DIR]\nsuites: ${names.join(', ')}`)
  process.exit(2)
}
const { suite } = (await import(`./suites/${name}.ts`)) as { suite: ConformanceSuite }
const folder = join(resolve(directory), suite.folder)
if (!existsSync(folder)) {
  console.error(`no ${suite.folder} cases under ${resolve(directory)}`)
  process.exit(2)
}

let passed = 0
let failed = 0
for await (const result of resultsOf(suite, folder)) {
  if (result.problem === undefined) {
    passed++
    continue
  }
  failed++
  console.log(`✖ ${result.name}\n${result.problem}\n`)
}
if (suite.summary) console.log(`${suite.summary()}\n`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0
