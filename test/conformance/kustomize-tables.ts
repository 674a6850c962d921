import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { applyFieldSpec, type FieldSpec, fieldSpec } from '../../lib/engines/kustomize/field-spec.ts'
import type {
  FieldSpecEntry,
  ImageEntry,
  ReplacementEntry,
  ReplicaEntry,
  StringMap,
} from '../../lib/engines/kustomize/kustomization.ts'
import { Loader } from '../../lib/engines/kustomize/loader.ts'
import { readJsonPatch } from '../../lib/engines/kustomize/merge/json-patch.ts'
import { strategicMerge } from '../../lib/engines/kustomize/merge/strategic-merge.ts'
import { threeWayMerge } from '../../lib/engines/kustomize/merge/three-way-merge.ts'
import { iamPolicyGenerator } from '../../lib/engines/kustomize/plugins/builtin-generators.ts'
import { ReadLog } from '../../lib/engines/kustomize/read-log.ts'
import { splitDocuments } from '../../lib/engines/kustomize/read-resources.ts'
import { applyReplacement } from '../../lib/engines/kustomize/replacements/replacement.ts'
import { Resource } from '../../lib/engines/kustomize/resource.ts'
import { ResourceMap } from '../../lib/engines/kustomize/resource-map.ts'
import { BuildSchema } from '../../lib/engines/kustomize/schema/build-schema.ts'
import { applyJsonPatch } from '../../lib/engines/kustomize/transformers/apply-json-patch.ts'
import { imageUpdate } from '../../lib/engines/kustomize/transformers/images.ts'
import { setMetadataEntries } from '../../lib/engines/kustomize/transformers/metadata-entries.ts'
import { affixField } from '../../lib/engines/kustomize/transformers/name-affix.ts'
import { applyNamespace, type SubjectMode } from '../../lib/engines/kustomize/transformers/namespace.ts'
import { replicaField } from '../../lib/engines/kustomize/transformers/replicas.ts'
import { addValues } from '../../lib/engines/kustomize/transformers/value-add.ts'
import { emitNode } from '../../lib/engines/yaml/emit-node.ts'
import type { YamlNode } from '../../lib/engines/yaml/node.ts'
import { parseYaml } from '../../lib/engines/yaml/parse.ts'
import { parseWithComments } from '../../lib/engines/yaml/parse-with-comments.ts'
import { Budget } from '../../lib/foundations/budget/budget.ts'
import { memoryTree } from './memory-tree.ts'
import { type Case, difference } from './suite.ts'

/** Filters and merges on their own, with comments: kustomize's tables of inputs and outputs. */
export function* tableCases(directory: string): Generator<Case> {
  yield* table<FilterCase>(join(directory, 'filters.jsonl'), record => record.id, runFilter)
  yield* table<Merge2Case>(join(directory, 'merge2.jsonl'), (record, i) => `merge2 ${i} ${record.test}`, runMerge2)
  yield* table<Merge3Case>(join(directory, 'merge3.jsonl'), (record, i) => `merge3 ${i} ${record.test}`, runMerge3)
}

interface Expected {
  readonly output?: string
  readonly error?: string
}

interface FilterCase extends Expected {
  readonly id: string
  readonly type: string
  readonly filter: string
  readonly patch?: string
  readonly input: string
}

interface Merge2Case extends Expected {
  readonly test: string
  readonly patch: string
  readonly dest: string
  readonly inferAssociativeLists: boolean
  readonly listIncreaseDirection: string
}

interface Merge3Case extends Expected {
  readonly test: string
  readonly dest: string
  readonly original: string
  readonly update: string
  readonly inferAssociativeLists: boolean
}

/** Records whose input isn't what the reference saw. */
const UNANSWERABLE = new Map(
  ['filter.patchstrategicmerge-010', 'filter.patchstrategicmerge-023'].map(id => [
    id,
    'the patch was recorded after the run that takes its $patch directive out',
  ]),
)

function* table<Recorded extends Expected>(
  file: string,
  nameOf: (record: Recorded, index: number) => string,
  run: (record: Recorded) => string,
): Generator<Case> {
  if (!existsSync(file)) return
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  for (const [index, line] of lines.entries()) {
    const record = JSON.parse(line) as Recorded
    const name = nameOf(record, index)
    const reason = UNANSWERABLE.get(name)
    if (reason) console.log(`not run: ${name}: ${reason}`)
    else yield () => ({ name: `table ${name}`, problem: problemOf(record, () => run(record)) })
  }
}

const problemOf = ({ output, error }: Expected, run: () => string): string | undefined => {
  let actual: string
  try {
    actual = run()
  } catch (failure) {
    const { message, stack } = failure as Error
    return error === undefined ? `  unexpected error: ${stack}` : difference(message.trim(), error.trim())
  }
  return error === undefined ? difference(actual, output ?? '') : `  expected an error: ${error}\n  got output`
}

const schema = new BuildSchema()
const origin = { file: 'input.yaml', overlay: '' }

const parse = (text: string): YamlNode | undefined => parseWithComments(text)?.root

const readResources = (input: string): Resource[] =>
  splitDocuments(input).flatMap(text => {
    const node = parse(text)
    return node && node.tag !== '!!null' ? [new Resource(node, schema, origin)] : []
  })

const print = (resources: readonly Resource[]): string =>
  resources.flatMap(({ node }) => (node ? [emitNode(node)] : [])).join('---\n')

const specs = (value: unknown): FieldSpec[] =>
  ((value ?? []) as FieldSpecEntry[]).map(entry => fieldSpec(entry.path ?? '', entry, entry.create ?? false))

const runFilter = ({ type, filter, patch, input }: FilterCase): string => {
  const config = (parseYaml(filter, { schema: 'kyaml' })[0] ?? {}) as Record<string, unknown>
  const map = new ResourceMap(readResources(input))
  const budget = new Budget()
  const spec = specs(config.fieldSpec ? [config.fieldSpec] : [])[0]!
  switch (type) {
    case 'annotations.Filter':
    case 'labels.Filter':
      map.list.forEach(
        setMetadataEntries((config.annotations ?? config.labels) as StringMap, specs(config.fsslice), budget),
      )
      break
    case 'prefix.Filter':
    case 'suffix.Filter':
      for (const one of map.list)
        affixField(
          one,
          type === 'prefix.Filter' ? 'prefix' : 'suffix',
          (config.prefix ?? config.suffix) as string,
          spec,
        )
      break
    case 'replicacount.Filter':
      for (const one of map.list) replicaField(one, (config.replica as ReplicaEntry).count ?? 0, spec)
      break
    case 'imagetag.Filter':
      for (const one of map.list) {
        if (one.kind === 'CustomResourceDefinition') continue
        const update = imageUpdate(config.imageTag as ImageEntry)
        for (const place of specs(config.fieldSpecs)) applyFieldSpec(one, place, update)
      }
      break
    case 'namespace.Filter':
      for (const one of map.list)
        applyNamespace(one, {
          namespace: (config.namespace as string | undefined) ?? '',
          specs: specs(config.fieldSpecs),
          unsetOnly: config.unsetOnly as boolean,
          subjects: (config.setRoleBindingSubjects || undefined) as SubjectMode | undefined,
        })
      break
    case 'patchjson6902.Filter':
      for (const one of map.list) applyJsonPatch(one, readJsonPatch(config.patch as string, budget), budget)
      break
    case 'patchstrategicmerge.Filter':
      for (const one of map.list)
        one.node = strategicMerge(parse(patch ?? '')!, one.node!, {
          schema,
          newElements: 'prepend',
        })
      break
    case 'valueadd.Filter':
      addValues(map, {
        value: config.value as string,
        targets: [{ fieldPath: config.fieldpath as string, filePathPosition: config.filePathPosition as number }],
      })
      break
    case 'replacement.Filter':
      for (const replacement of (config.replacements ?? []) as ReplacementEntry[])
        applyReplacement(map.list, replacement, budget)
      break
    case 'iampolicygenerator.Filter': {
      const loader = new Loader(
        { fs: memoryTree({}), log: new ReadLog(budget), restrictions: 'none', shownRoot: '/' },
        '',
      )
      map.appendAll(iamPolicyGenerator.configure(config, { loader, schema, budget, file: '' })() as readonly Resource[])
      break
    }
    default:
      throw new Error(`no filter ${type}`)
  }
  return print(map.list)
}

const printDocument = (text: string, root: YamlNode | undefined): string => {
  if (!root) return ''
  const document = parseWithComments(text)
  return emitNode(root, document && { head: document.head, foot: document.foot })
}

const runMerge2 = ({ patch, dest, inferAssociativeLists, listIncreaseDirection }: Merge2Case): string => {
  const merged = strategicMerge(parse(patch)!, parse(dest)!, {
    schema,
    newElements: listIncreaseDirection === '1' ? 'prepend' : 'append',
    inferKeys: inferAssociativeLists,
  })
  return printDocument(dest, merged)
}

const runMerge3 = ({ dest, original, update, inferAssociativeLists }: Merge3Case): string => {
  const merged = threeWayMerge(parse(dest)!, parse(original), parse(update), {
    schema,
    inferKeys: inferAssociativeLists,
  })
  return printDocument(dest, merged)
}
