import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Generator } from '../generator.ts'

/** docs/libraries.md: what the engines offer to other programs, in the compiler's words and those of their comments. */
export const libraries: Generator = {
  name: 'libraries',
  slow: true,
  make: root => ({ 'docs/libraries.md': page(declarationsOf(root)) }),
}

interface Library {
  readonly name: string
  readonly about: string
  /** The modules that other programs import, below lib/engines. */
  readonly modules: readonly string[]
}

export const offered: readonly Library[] = [
  { name: 'kustomize', about: '`kustomize build`, told in [kustomize.md](kustomize.md)', modules: ['kustomize/build'] },
  {
    name: 'yaml',
    about: 'YAML as sigs.k8s.io/yaml reads and writes it',
    modules: ['yaml/parse', 'yaml/emit-json', 'yaml/yaml-error'],
  },
  {
    name: 'template',
    about: "Go's text/template with the functions of slim-sprig, Sprig and flux-operator",
    modules: ['template/template', 'template/values/from-json', 'template/functions/resource-set'],
  },
  {
    name: 'resource-set',
    about: 'what a ResourceSet comes to',
    modules: ['resource-set/combine-inputs', 'resource-set/render'],
  },
  {
    name: 'semver',
    about: 'versions and ranges as Masterminds/semver reads them',
    modules: ['semver/version', 'semver/constraint', 'semver/matching-tags'],
  },
  { name: 'ignore', about: 'what Flux leaves out of an artifact', modules: ['ignore/source-ignore'] },
  {
    name: 'substitute',
    about: "variables of Flux's `postBuild`",
    modules: ['substitute/envsubst', 'substitute/substitute-variables', 'substitute/expression'],
  },
  { name: 'kstatus', about: 'how far an object has come', modules: ['kstatus/kstatus', 'kstatus/result'] },
  {
    name: 'merge',
    about: 'server-side apply, and patches',
    modules: ['merge/apply', 'merge/strategic-merge-patch', 'merge/json-patch', 'merge/merge-patch'],
  },
  { name: 'cel', about: 'CEL as Flux evaluates it', modules: ['cel/expression', 'cel/health-expressions'] },
  { name: 'sops', about: 'files that sops encrypted', modules: ['sops/decrypt', 'sops/verify', 'sops/sops-error'] },
]

/** Text of the declarations of a module. */
type Declarations = (module: string) => string

const declarationsOf = (root: string): Declarations => {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-declarations-'))
  try {
    const compiler = join(root, 'node_modules/.bin/tsc')
    execFileSync(compiler, ['-p', join(root, 'lib'), '--emitDeclarationOnly', '--outDir', folder])
    const modules = offered.flatMap(({ modules }) => modules)
    const texts = new Map(modules.map(name => [name, readFileSync(join(folder, 'engines', `${name}.d.ts`), 'utf8')]))
    return name => texts.get(name)!
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const page = (declarations: Declarations): string => `# Libraries

The engines are libraries without I/O: you can use each by itself, as in \`import { build } from 'keelson/kustomize'\`. This page shows all that the package exports; the rest of the
code may change with any version. \`npm run docs\` makes the page from the sources, and a test fails when it is stale: a change of the public API shows here.

${offered.map(library => chapter(library, declarations)).join('\n')}`

const chapter = ({ name, about, modules }: Library, declarations: Declarations): string =>
  [`## ${name}`, `${upperFirst(about)}.`, ...modules.map(module => section(module, declarations(module))), ''].join(
    '\n\n',
  )

const section = (module: string, declarations: string): string => {
  const offers = declarations.replace(/^import .*\n/gm, '').replace(/^export \{.*\};?\n/gm, '')
  const short = offers.replaceAll('export declare ', 'export ').replaceAll('    ', '  ').trim()
  return `\`${importedAs(module)}\`\n\n\`\`\`ts\n${short}\n\`\`\``
}

/** How other programs import a module: `keelson/semver/version`; what `kustomize build` needs is `keelson/kustomize` itself. */
export const importedAs = (module: string): string =>
  module === 'kustomize/build' ? 'keelson/kustomize' : `keelson/${module}`

const upperFirst = (text: string): string => text[0]!.toUpperCase() + text.slice(1)
