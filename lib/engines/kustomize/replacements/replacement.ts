import type { Budget } from '../../../foundations/budget/budget.ts'
import { cloneNode, isMissing, type NodeKind, scalarNode, type YamlNode } from '../../yaml/node.ts'
import { spendOnTree } from '../../yaml/tree-size.ts'
import type { FieldOptions, ReplacementEntry, ReplacementTarget, SelectorEntry } from '../kustomization.ts'
import { KustomizeError, within, wrapError, wrapping } from '../kustomize-error.ts'
import { assign, lookupPath } from '../node-path.ts'
import type { Resource } from '../resource.ts'
import { idString, isSelected, type ResourceId } from '../resource-id.ts'
import { compileSelector, type IdSelector, metadataSelector, selectsId } from '../selector.ts'
import { matchPath } from './match-path.ts'
import { replaceInText } from './replace-in-text.ts'
import { splitFieldPath } from './split-field-path.ts'

const DEFAULT_PATH = 'metadata.name'

/**
 * Copies the value of a resource's field, or a given value, to fields of other resources. Charges the budget for every
 * copy.
 */
export const applyReplacement = (resources: readonly Resource[], entry: ReplacementEntry, budget: Budget): void => {
  if ((entry.sourceValue === undefined && !entry.source) || !entry.targets)
    throw new KustomizeError('replacements must specify a source and at least one target')
  const value = sourceValue(resources, entry)
  for (const target of entry.targets) applyToTarget(resources, value, target, budget)
}

/** The current id, then the previous ones. The namespace of a previous id is the effective one at that time. */
const idsOf = (resource: Resource): ResourceId[] => [resource.currentId(), ...resource.previousIds()]

const sourceValue = (resources: readonly Resource[], { source, sourceValue: text }: ReplacementEntry): YamlNode => {
  if (text !== undefined && source) throw new KustomizeError('value and resource selectors are mutually exclusive')
  if (text !== undefined) return scalarNode(text)
  const resource = selectSource(resources, source!)
  const path = source!.fieldPath || DEFAULT_PATH
  let node: YamlNode | undefined
  try {
    node = lookupPath(resource.node!, splitFieldPath(path))
  } catch (error) {
    throw wrapError('error looking up replacement source', error, { file: resource.origin.file, field: path })
  }
  if (isMissing(node) || (node.kind !== 'scalar' && node.content.length === 0))
    throw new KustomizeError(
      `fieldPath \`${path}\` is missing for replacement source ${idString(selectorId(source!))}`,
      { file: resource.origin.file, field: path },
    )
  const { options } = source!
  return options?.delimiter ? partOf(node, options) : node
}

type Source = NonNullable<ReplacementEntry['source']>

const selectorId = ({ group = '', version = '', kind = '', name = '', namespace = '' }: Source) => ({
  group,
  version,
  kind,
  name,
  namespace,
})

const namespaceOf = (namespace: string): string => namespace || 'default'

const selectSource = (resources: readonly Resource[], source: Source): Resource => {
  const wanted = selectorId(source)
  const matches = resources.filter(resource =>
    idsOf(resource).some(
      id =>
        (wanted.name === '' || wanted.name === id.name) &&
        (wanted.namespace === '' || namespaceOf(wanted.namespace) === namespaceOf(id.namespace)) &&
        isSelected(id, wanted),
    ),
  )
  if (matches.length === 1) return matches[0]!
  const problem = matches.length === 0 ? 'nothing selected by' : 'multiple matches for selector'
  throw new KustomizeError(`${problem} ${shownSource(source)}`, { field: 'replacements.source' })
}

const shownSource = (source: Source): string => {
  const { fieldPath, options } = source
  const shown = [idString(selectorId(source))]
  if (fieldPath) shown.push(fieldPath)
  if (options && (options.delimiter || options.create))
    shown.push(`${options.delimiter ?? ''}(${options.index ?? 0}), create=${options.create ?? false}`)
  return shown.join(':')
}

const onlyScalars = (node: YamlNode): void => {
  if (node.kind !== 'scalar') throw new KustomizeError('delimiter option can only be used with scalar nodes')
}

const partOf = (node: YamlNode, { delimiter, index = 0 }: FieldOptions): YamlNode => {
  onlyScalars(node)
  const parts = node.value.split(delimiter!)
  if (index < 0 || index >= parts.length)
    throw new KustomizeError(`options.index ${index} is out of bounds for value ${node.value}`)
  const part = cloneNode(node)
  part.value = parts[index]!
  return part
}

const applyToTarget = (
  resources: readonly Resource[],
  value: YamlNode,
  target: ReplacementTarget,
  budget: Budget,
): void => {
  budget.spend('steps', resources.length)
  const { select, reject = [], options } = target
  if (!select) throw new KustomizeError('target must specify resources to select', { field: 'replacements.targets' })
  const paths = target.fieldPaths?.length ? target.fieldPaths : [DEFAULT_PATH]
  const matchesSelector = targetSelector(select)
  const byMetadata = metadataSelector(select)
  const rejected = reject
    .filter(entry => entry.group || entry.version || entry.kind || entry.name || entry.namespace)
    .map(targetSelector)
  const rejectedByMetadata = reject
    .filter(entry => entry.labelSelector || entry.annotationSelector)
    .map(entry => metadataSelector(entry))

  for (const resource of resources) {
    if (!byMetadata(resource) || rejectedByMetadata.some(matches => matches(resource))) continue
    const ids = idsOf(resource)
    if (rejected.some(selector => ids.some(id => selectsId(selector, id)))) continue
    if (!ids.some(id => selectsId(matchesSelector, id))) continue
    for (const path of paths)
      within({ file: resource.origin.file, field: path }, () => copyInto(resource.node!, value, path, options, budget))
  }
}

const targetSelector = (entry: SelectorEntry): IdSelector =>
  wrapping('error creating target selector', () => compileSelector(entry))

const copyInto = (
  root: YamlNode,
  value: YamlNode,
  path: string,
  options: FieldOptions | undefined,
  budget: Budget,
): void => {
  const create: NodeKind | undefined = options?.create ? value.kind : undefined
  const parts = splitFieldPath(path)
  if (replaceInText(root, parts, create, node => setField(node, value, options, budget))) return
  const problem = `unable to find ${create ? 'or create ' : ''}field ${JSON.stringify(path)} in replacement target`
  let found: YamlNode[]
  try {
    found = matchPath(root, parts, create)
  } catch (error) {
    throw wrapError(problem, error)
  }
  if (found.length === 0) throw new KustomizeError(problem)
  for (const node of found) setField(node, value, options, budget)
}

const setField = (target: YamlNode, value: YamlNode, options: FieldOptions | undefined, budget: Budget): void => {
  spendOnTree(budget, value)
  const copy = cloneNode(value)
  if (options?.delimiter) {
    onlyScalars(target)
    budget.spend('bytes', target.value.length)
    copy.value = joined(target.value.split(options.delimiter), copy.value, options)
  }
  // A text is written over a text, and keeps the target's type: a number, a string.
  if (target.kind === 'scalar') target.value = copy.value
  else {
    assign(target, copy)
    target.style = copy.style
  }
}

/** Replaces one part of a delimited text, or adds the value before the first or after the last. */
const joined = (parts: string[], value: string, { delimiter, index = 0 }: FieldOptions): string => {
  if (index < 0) parts.unshift(value)
  else parts[Math.min(index, parts.length)] = value
  return parts.join(delimiter!)
}
