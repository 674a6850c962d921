/** Records the places that the real kustomize knows by itself, as its source has them: `node test/recorders/kustomize-field-specs.ts`. */
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseYaml } from '../../lib/engines/yaml/parse.ts'
import { type DefaultSpecs, shownSpecs } from '../unit/engines/kustomize/shown-specs.ts'

const oracle = join(import.meta.dirname, '../bed/kustomize-oracle')
const api = execFileSync('go', ['list', '-m', '-f', '{{.Dir}}', 'sigs.k8s.io/kustomize/api'], {
  cwd: oracle,
  encoding: 'utf8',
})
const sources = join(api.trim(), 'internal/konfig/builtinpluginconsts')
const texts = globSync('*.go', { cwd: sources }).map(file => readFileSync(join(sources, file), 'utf8'))

/** Constants that are texts, and names of others, one after the other. */
const part = '(?:`[^`]*`|\\w+)'
const constants = new Map(
  texts.flatMap(text =>
    [...text.matchAll(new RegExp(`(\\w+)\\s*=\\s*(${part}(?:\\s*\\+\\s*${part})*)`, 'g'))].map(
      ([, name, value]) => [name!, value!] as const,
    ),
  ),
)
const textOf = (name: string): string =>
  constants.get(name)!.replaceAll(/`([^`]*)`|\s*\+\s*|(\w+)/g, (_, text, other) => text ?? (other ? textOf(other) : ''))

const specs: DefaultSpecs = {}
for (const [, name] of texts.join('').matchAll(/\[\]byte\((\w+)\)/g)) Object.assign(specs, parseYaml(textOf(name!))[0])
const path = join(import.meta.dirname, '../unit/engines/kustomize/default-field-specs.recorded.json')
writeFileSync(path, `${JSON.stringify(shownSpecs(specs), null, 1)}\n`)
