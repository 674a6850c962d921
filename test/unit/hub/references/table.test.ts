/** docs/references.md is complete: every field of every kind that refers to other objects has a row. */
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { builtInKinds } from '../../../../lib/foundations/kinds/all.ts'
import type { StructuralSchema } from '../../../../lib/foundations/kinds/schema/schema.ts'
import { localFields } from '../../../attack/classes/local-fields.ts'

const root = join(import.meta.dirname, '../../../..')

/** Names of fields that refer to objects, or choose among them. */
const byName =
  /(Refs?|From|[sS]electors?|[nN]amespace|[sS]erviceAccountName|[sS]ecrets?)$|^(dependsOn|include|eventSources|healthChecks|subjects|involvedObject|related)$/
/** Names that mean so in a spec; in a role `resources` are kinds. */
const inSpec = /^spec\.((.*\.)?resources|sources)\[\]$/

function* referencesIn(schema: StructuralSchema, path: string): Generator<string> {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const here = `${path}${path && '.'}${name}${field.items ? '[]' : ''}`
    if (path === '' && name === 'status') continue
    if (byName.test(name) || inSpec.test(here)) yield here
    else {
      yield* referencesIn(field.items ?? field, here)
      if (typeof field.additionalProperties === 'object') yield* referencesIn(field.additionalProperties, `${here}{}`)
    }
  }
}

const fields = new Set(
  builtInKinds.flatMap(({ kind, versions }) =>
    versions.flatMap(({ schema }) => [...referencesIn(schema, '')].map(path => `${kind}.${path}`)),
  ),
)

interface Row {
  readonly references: readonly string[]
  readonly leadsTo: string
  readonly tests: readonly string[]
}

const quoted = (cell: string): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)

const rows: readonly Row[] = readFileSync(join(root, 'docs/references.md'), 'utf8')
  .split('\n')
  .filter(line => line.startsWith('| ') && !line.startsWith('| reference ') && !line.startsWith('| ---'))
  .map(line => {
    const [, first = '', leadsTo = '', , , tests = ''] = line.split('|')
    return { references: quoted(first), leadsTo: leadsTo.trim(), tests: quoted(tests) }
  })

const isField = (reference: string): boolean => builtInKinds.some(({ kind }) => reference.startsWith(`${kind}.`))
const listed = rows.flatMap(({ references }) => references).filter(isField)

test('every field of a kind that refers to other objects has a row', () => {
  assert.ok(fields.size > 50, `only ${fields.size} fields were found`)
  assert.deepEqual([...fields].filter(field => !listed.includes(field)).sort(), [])
})

const pathOf = Symbol('path')

/** A part of an object that has every field, and one item in every list; it knows its path. */
const everything = (path: string): never =>
  new Proxy({} as never, {
    get: (_, name) => {
      if (name === pathOf) return path
      if (name === 'map') return (item: (part: never) => unknown) => [item(everything(`${path}[]`))]
      return everything(path ? `${path}.${String(name)}` : String(name))
    },
  })

/** The fields that the kinds themselves declare to refer to an object, or to hold one's name. */
const declared = builtInKinds.flatMap(kind => {
  const paths: string[] = []
  const note = (part?: unknown) => {
    if (part === undefined) return [] // in an annotation: those have rows that name no field
    paths.push(`${kind.kind}.${String((part as Record<symbol, unknown>)[pathOf])}`)
    return []
  }
  const find = { secret: note, configMap: note, serviceAccount: note, object: note, any: () => [] }
  kind.references?.({ spec: everything('spec') }, find)
  return paths
})

test('every reference that a kind declares has a row', () => {
  assert.ok(declared.length > 35, `only ${declared.length} references were found`)
  const parts = (reference: string) => [reference, reference.slice(0, reference.lastIndexOf('.'))]
  assert.deepEqual(
    declared.filter(reference => !parts(reference).some(part => listed.includes(part))),
    [],
  )
})

test('every field that has a row is in a schema, or declared by its kind', () => {
  assert.deepEqual(
    listed.filter(reference => !fields.has(reference) && !declared.includes(reference)),
    [],
  )
})

test('every row that leads to an object names tests, and those are there', () => {
  for (const { references, leadsTo, tests } of rows) {
    for (const path of tests) assert.ok(existsSync(join(root, path)), `${references.join()}: there is no ${path}`)
    if (!/^(not read|no object|refused)/.test(leadsTo)) assert.ok(tests.length > 0, `${references.join()} has no test`)
  }
})

test('a row whose test is the attack on names that lead out is tried there, field by field', () => {
  const tried = new Set(localFields.map(({ kind, field }) => `${kind}.${field}`))
  const attack = ['local-fields', 'local-references']
    .map(name => readFileSync(join(root, `test/attack/classes/${name}.ts`), 'utf8'))
    .join('\n')
  const promised = rows.filter(({ tests }) => tests.includes('test/attack/classes/local-references.ts'))
  const missing = promised
    .flatMap(({ references }) => references)
    .filter(reference => {
      const [kind = '', ...path] = reference.split('.')
      const isOther = attack.includes(`${kind}: ${path.join('.')}`) || attack.includes(`${kind}: spec.\${field}`)
      return isField(reference)
        ? !tried.has(reference) && !isOther
        : !reference.includes('/') || !attack.includes(reference.slice(reference.indexOf('/') + 1))
    })
  assert.deepEqual(missing, [])
})

test('every annotation that refers to other objects has a row', () => {
  const sources = globSync('lib/**/*.ts', { cwd: root }).map(path => readFileSync(join(root, path), 'utf8'))
  const names = sources.flatMap(text =>
    [
      ...text.matchAll(/'((?:[a-z.-]+\/)?(?:[a-zA-Z]+From|[a-z-]+-from|kubeConfig))'/g),
      ...text.matchAll(/annotation\('([a-zA-Z]+)'\)/g),
    ].map(([, name = '']) => name),
  )
  const annotations = rows.flatMap(({ references }) => references).filter(reference => reference.includes('/'))
  const unlisted = names
    .filter(
      name => name.includes('/') || name === 'copyFrom' || name === 'checksumFrom' || name === 'convertKubeConfigFrom',
    )
    .filter(name => !annotations.some(annotation => annotation === name || annotation.endsWith(`/${name}`)))
  assert.ok(names.length > 3)
  assert.deepEqual(unlisted, [])
})
