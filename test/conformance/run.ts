import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type ConformanceSuite, resultsOf } from './suite.ts'

const root = resolve(import.meta.dirname, '../..')
const names = readdirSync(join(import.meta.dirname, 'suites')).map(file => file.replace(/\.ts$/, ''))

const usage = `npm run conformance -- SUITE [DIR] [--through-runner]

Runs every case of a suite found under DIR (default: $KEELSON_CONFORMANCE, or ../shared/conformance beside the project),
lists the failures, and ends with the line \`N passed, N failed\`. The exit code is 1 when any failed or none was found.
\`kustomize-trees DIR\` takes any folder: it builds every kustomization below it beside the real kustomize.

  --through-runner   (flux only) the stories of Kustomizations and ResourceSets, which a runner reconciles in place of the hub
  --help             this

Suites: ${names.join(', ')}

  npm run conformance -- kustomize
  npm run conformance -- flux --through-runner`

const refuse = (message: string): never => {
  console.error(message)
  process.exit(2)
}

const argumentsGiven = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { help: { type: 'boolean' }, 'through-runner': { type: 'boolean' } },
    })
  } catch (error) {
    return refuse(`${(error as Error).message}\n\n${usage}`)
  }
}

const { values, positionals } = argumentsGiven()
if (values.help) {
  console.log(usage)
  process.exit(0)
}
const [name, directory = process.env.KEELSON_CONFORMANCE ?? join(root, '../shared/conformance')] = positionals
if (!name || !names.includes(name)) refuse(usage)
const { suite: whole } = (await import(`./suites/${name}.ts`)) as { suite: ConformanceSuite }
const suite = values['through-runner'] ? (whole.throughRunner ?? refuse(`${name} has no cases for a runner`)) : whole
const folder = join(resolve(directory), suite.folder)
if (!existsSync(folder)) refuse(`no ${suite.folder} cases under ${resolve(directory)}`)

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
