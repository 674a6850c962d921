import { type Budget, BudgetExceeded } from '../../../foundations/budget/budget.ts'
import { compareBytes } from '../../../foundations/go/compare-text.ts'
import { errorMessage } from '../../../foundations/rules/error-message.ts'
import { emitJson } from '../../yaml/emit-json.ts'
import { emitNode } from '../../yaml/emit-node.ts'
import { isObject, type JsonObject, type JsonValue } from '../../yaml/json-value.ts'
import { parseNodes } from '../../yaml/parse.ts'
import { RenderError } from '../helm-error.ts'
import { readYaml } from '../read-yaml.ts'
import type { RenderedChart, RenderedFiles } from '../render-chart.ts'
import { isPartial } from '../render-values.ts'
import { sortManifests } from '../sort-manifests.ts'
import { splitTightly } from '../split-manifests.ts'

/** Changes the rendered objects before the release uses them, all in one call: it may also remove or add objects. */
export type PostRenderer = (objects: readonly JsonObject[]) => Promise<readonly JsonObject[]>

/** `combined`: hooks and manifests in one call; `separate`: one call each; `nohooks`: hooks are left unchanged, as in Helm 3. */
export type PostRenderStrategy = 'combined' | 'nohooks' | 'separate'

/** Where a document came from. */
const FILENAME = 'postrenderer.helm.sh/postrender-filename'

/** Documents by the template that they come from. */
type Files = ReadonlyMap<string, string>

/**
 * Passes rendered documents to a post-renderer, and puts the results back under their templates; documents that lost their file name
 * get `generated-by-postrender-N.yaml`. The documents are cut as by Helm 4.2, which helm-controller 1.6 uses. Throws RenderError with
 * Helm's message.
 */
export const postRender = async (
  { files, ...rest }: RenderedFiles,
  renderer: PostRenderer,
  strategy: PostRenderStrategy = 'combined',
  budget?: Budget,
): Promise<RenderedChart> => {
  const changed = await changedFiles(files, renderer, strategy, budget)
  return { ...rest, ...sortManifests(changed, { budget, split: splitTightly }) }
}

const changedFiles = async (
  files: Files,
  renderer: PostRenderer,
  strategy: PostRenderStrategy,
  budget: Budget | undefined,
): Promise<Files> => {
  const run = (some: Files, group = '') => rendering(some, renderer, group, budget)
  if (strategy === 'combined') return run(files)
  const sorted = sortManifests(files, { budget, split: splitTightly })
  const [hooks, manifests] = [filesOf(sorted.hooks), filesOf(sorted.manifests)]
  return joined(strategy === 'separate' ? await run(hooks, 'hooks') : hooks, await run(manifests, 'manifests'))
}

const filesOf = (documents: readonly { readonly path: string; readonly content: string }[]): Files => {
  const byPath = Map.groupBy(documents, ({ path }) => path)
  return new Map([...byPath].map(([path, those]) => [path, those.map(({ content }) => content).join('\n---\n')]))
}

const joined = (a: Files, b: Files): Files => {
  const files = new Map(a)
  for (const [path, text] of b) {
    const before = files.get(path)
    files.set(path, before === undefined ? text : `${before}\n---\n${text}`)
  }
  return files
}

const rendering = async (
  files: Files,
  renderer: PostRenderer,
  group: string,
  budget: Budget | undefined,
): Promise<Files> => {
  if (files.size === 0) return files
  const where = group === '' ? 'files' : group
  const documents = [...files]
    .filter(([path, text]) => !isPartial(path) && text.trim() !== '')
    .sort(([a], [b]) => compareBytes(a, b))
    .flatMap(([path, text]) => splitTightly(text).flatMap(document => read(path, document, group, budget)))
  let changed: readonly JsonObject[]
  try {
    changed = await renderer(documents)
  } catch (error) {
    throw new RenderError(`error while running post render on ${where}: ${errorMessage(error)}`, error)
  }
  const fallback = group === '' ? 'generated-by-postrender' : `generated-by-postrender-${group}`
  const byFile = Map.groupBy(changed.map(withoutFilename), ({ path }, index) => path ?? `${fallback}-${index}.yaml`)
  return new Map([...byFile].map(([path, those]) => [path, those.map(({ object }) => written(object)).join('---\n')]))
}

const read = (path: string, document: string, group: string, budget: Budget | undefined): JsonObject[] => {
  const object = parsed(path, document, group || 'manifests', budget)
  if (object === null) return []
  return (isList(object) ? object.items.filter(isObject) : [object]).map(item => withFilename(item, path))
}

/** kyaml expands such lists; typed ones such as RoleList stay whole. */
const isList = (object: JsonObject): object is JsonObject & { readonly items: JsonValue[] } =>
  (object.kind === 'List' || object.kind === 'ResourceList') && Array.isArray(object.items)

const withFilename = (object: JsonObject, path: string): JsonObject => {
  const metadata = isObject(object.metadata) ? object.metadata : {}
  const annotations = isObject(metadata.annotations) ? metadata.annotations : {}
  return { ...object, metadata: { ...metadata, annotations: { ...annotations, [FILENAME]: path } } }
}

const parsed = (path: string, document: string, what: string, budget: Budget | undefined): JsonObject | null => {
  try {
    const object = readYaml(document, budget, 'kyaml')
    if (object === null || isObject(object)) return object
    throw new Error('not a mapping')
  } catch (error) {
    if (error instanceof BudgetExceeded) throw error
    throw new RenderError(`error merging ${what}: parsing ${path}: ${errorMessage(error)}`, error)
  }
}

/** Helm serializes the output of a post-renderer again, without folding lines. */
const written = (object: JsonObject): string => {
  const text = emitJson(object)
  return foldable.test(text)
    ? parseNodes(text)
        .map(root => emitNode(root))
        .join('')
    : text
}

/** Shorter lines were not folded. */
const foldable = /^.{80}/m

const withoutFilename = (object: JsonObject): { readonly object: JsonObject; readonly path?: string } => {
  const { annotations, ...metadata } = isObject(object.metadata) ? object.metadata : {}
  if (!isObject(annotations) || typeof annotations[FILENAME] !== 'string') return { object }
  const { [FILENAME]: path, ...others } = annotations
  const kept: JsonObject = Object.keys(others).length > 0 ? { ...metadata, annotations: others } : metadata
  return { path, object: { ...object, metadata: kept } }
}

/** Labels and annotations on every object. */
export const commonMetadata =
  ({ labels, annotations }: CommonMetadata): PostRenderer =>
  async objects =>
    objects.map(object => {
      const metadata = isObject(object.metadata) ? object.metadata : {}
      const merged = (present: unknown, added: Readonly<Record<string, string>>) => ({
        ...(isObject(present) ? present : {}),
        ...added,
      })
      return {
        ...object,
        metadata: {
          ...metadata,
          ...(labels && { labels: merged(metadata.labels, labels) }),
          ...(annotations && { annotations: merged(metadata.annotations, annotations) }),
        },
      }
    })

export interface CommonMetadata {
  readonly labels?: Readonly<Record<string, string>> | undefined
  readonly annotations?: Readonly<Record<string, string>> | undefined
}

/** Applies renderers in order. */
export const inSequence =
  (...renderers: readonly PostRenderer[]): PostRenderer =>
  async objects => {
    let current = objects
    for (const renderer of renderers) current = await renderer(current)
    return current
  }
