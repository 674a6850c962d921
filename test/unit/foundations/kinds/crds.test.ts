/** Our definitions of Flux's kinds against the CustomResourceDefinitions that Flux itself ships. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { builtInKinds } from '../../../../lib/foundations/kinds/all.ts'
import type { Kind, KindVersion, PrinterColumn } from '../../../../lib/foundations/kinds/kind.ts'

/** Of the kinds that the conformance data lacks. */
const recorded = join(import.meta.dirname, 'crds')
const crds = join(process.env.KEELSON_CONFORMANCE ?? '../shared/conformance', 'crds')
const missing = !existsSync(crds) && `no CustomResourceDefinitions at ${crds} (set KEELSON_CONFORMANCE)`
if (missing && process.env.CI) throw new Error(missing)

/** What a schema and its columns show: fields, what they may hold, defaults, short names. */
const shows: Readonly<Record<string, string>> = {
  ImageRepository: 'IM-001 IM-004..008 ',
  ImagePolicy: 'IM-020 IM-022 IM-028 IM-029 ',
  ImageUpdateAutomation: 'IM-036 IM-037 IM-039 IM-040 IM-047 ',
  ArtifactGenerator: 'AG-001 AG-005 AG-006 AG-011 AG-023 AG-026 ',
}

for (const kind of builtInKinds.filter(({ group }) => group.endsWith('.fluxcd.io'))) {
  const name = `${kind.group}_${kind.plural}.yaml`
  const isRecorded = existsSync(join(recorded, name))
  test(`${shows[kind.kind] ?? ''}${kind.kind} is declared as Flux declares it`, {
    skip: !isRecorded && missing,
  }, () => {
    const crd = parse(readFileSync(join(isRecorded ? recorded : crds, name), 'utf8'))
    assert.deepEqual(asDefinition(kind, versionsOf(crd)), comparable(crd.spec))
  })
}

interface Crd {
  readonly spec: { readonly versions: readonly { readonly name: string }[] }
}

/** Ours also serve older versions that Flux has left behind, so that no one's files stop working. */
const versionsOf = ({ spec }: Crd) => new Set(spec.versions.map(({ name }) => name))

const asDefinition = (kind: Kind, versions: ReadonlySet<string>) =>
  comparable({
    group: kind.group,
    names: {
      categories: kind.categories,
      kind: kind.kind,
      listKind: `${kind.kind}List`,
      plural: kind.plural,
      singular: kind.singular,
      ...(kind.shortNames.length > 0 && { shortNames: kind.shortNames }),
    },
    scope: kind.namespaced ? 'Namespaced' : 'Cluster',
    versions: kind.versions
      .filter(({ name }) => versions.has(name))
      .map(version => ({
        name: version.name,
        additionalPrinterColumns: version.columns.map((column: PrinterColumn) => ({ ...column })),
        schema: { openAPIV3Schema: wholeSchema(kind, version) },
        served: true,
        storage: version.storage,
        ...(version.status && { subresources: { status: {} } }),
      })),
  })

/**
 * The one intended difference: Flux's CRDs let an object without spec pass, which no controller can do anything with;
 * ours requires it. (All that an ExternalArtifact says is in its status.)
 */
const wholeSchema = ({ kind }: Kind, { schema: { required, ...schema } }: KindVersion) => {
  assert.deepEqual(required, kind === 'ExternalArtifact' ? undefined : ['spec'])
  return {
    ...schema,
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      ...schema.properties,
    },
  }
}

/** As plain JSON without descriptions and empty lists of subresources, and `required`, whose order has no meaning, sorted. */
const comparable = (value: unknown): unknown => JSON.parse(JSON.stringify(value, withoutDescription))

const withoutDescription = (key: string, value: unknown): unknown => {
  if (key === 'description' && typeof value === 'string') return undefined
  if (key === 'subresources' && Object.keys(value as object).length === 0) return undefined
  if (key === 'required' && Array.isArray(value)) return value.toSorted()
  return value
}
