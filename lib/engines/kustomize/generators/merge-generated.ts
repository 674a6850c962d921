import { field, isMissing, stringNode, type YamlNode } from '../../yaml/node.ts'
import { KustomizeError } from '../kustomize-error.ts'
import { clearFieldOf, createPath, setFieldOf } from '../node-path.ts'
import { ORIGIN_ANNOTATION } from '../origin.ts'
import type { Resource } from '../resource.ts'
import { idString, type ResourceId } from '../resource-id.ts'
import type { ResourceMap } from '../resource-map.ts'
import { encodeBase64 } from './base64.ts'

/** Go's `%#v` of an id. */
const goId = (id: ResourceId): string =>
  `resid.ResId{Gvk:resid.Gvk{Group:${JSON.stringify(id.group)}, Version:${JSON.stringify(id.version)}, ` +
  `Kind:${JSON.stringify(id.kind)}, isClusterScoped:${id.clusterScoped}}, Name:${JSON.stringify(id.name)}, ` +
  `Namespace:${JSON.stringify(id.namespace)}}`

/** Adds a generated resource: as a new one, or merged into the one with its id, according to its behavior. */
export const absorb = (map: ResourceMap, made: Resource): void => {
  const id = made.currentId()
  const matches = map.sameId(id)
  const { behavior } = made
  const place = { file: made.origin.file, field: 'behavior' }
  if (matches.length === 0) {
    if (behavior === 'merge' || behavior === 'replace')
      throw new KustomizeError(`id ${goId(id)} does not exist; cannot merge or replace`, place)
    map.append(made)
    return
  }
  if (matches.length > 1)
    throw new KustomizeError(
      `found multiple objects [${matches.map(match => idString(match.currentId())).join(' ')}] that could accept merge of ${idString(id)}`,
      place,
    )
  const old = matches[0]!
  if (behavior !== 'merge' && behavior !== 'replace')
    throw new KustomizeError(
      `id ${goId(id)} exists; can not use behavior: '${behavior || 'unspecified'}', behavior must be merge or replace`,
      place,
    )
  takeMetadata(made, old)
  if (behavior === 'merge') {
    mergeData(made, old)
    keepOrigin(made, old)
  }
  map.list = map.list.with(map.list.indexOf(old), made)
}

/** The new resource takes the old one's identity, and the metadata that it does not set. */
const takeMetadata = (made: Resource, old: Resource): void => {
  made.setLabels(new Map([...old.labels(), ...made.labels()]))
  const hashed = made.needsHash
  made.setAnnotations(new Map([...old.annotations(), ...made.annotations()]))
  made.setName(old.name)
  made.setNamespace(old.namespace)
  made.adoptHistory(old)
  made.remember({ needsHash: hashed && old.needsHash })
}

const keepOrigin = (made: Resource, old: Resource): void => {
  const origin = old.annotations().get(ORIGIN_ANNOTATION)
  if (origin !== undefined) made.setAnnotations(new Map([...made.annotations(), [ORIGIN_ANNOTATION, origin]]))
}

const mergeData = (made: Resource, old: Resource): void => {
  const encoded = made.apiVersion === 'v1' && made.kind === 'Secret' ? encodedTexts(old) : []
  const data = [...textsOf(old.view!, 'data'), ...encoded, ...textsOf(made.view!, 'data')]
  const binary = [...textsOf(old.view!, 'binaryData'), ...textsOf(made.view!, 'binaryData')]
  replaceTexts(made.node!, 'data', new Map(data))
  replaceTexts(made.node!, 'binaryData', new Map(binary))
}

const textsOf = (root: YamlNode, key: string): Map<string, string> => {
  const texts = new Map<string, string>()
  const map = field(root, key)
  if (map?.kind !== 'map') return texts
  for (let i = 0; i < map.content.length; i += 2) texts.set(map.content[i]!.value, textOf(map.content[i + 1]!))
  return texts
}

const textOf = (node: YamlNode): string => (isMissing(node) ? '' : node.value)

const replaceTexts = (root: YamlNode, key: string, texts: ReadonlyMap<string, string>): void => {
  clearFieldOf(root, key)
  if (texts.size === 0) return
  const map = createPath(root, [key], 'map')!
  for (const [name, text] of texts) setFieldOf(map, name, stringNode(text))
}

/** stringData of a Secret as the API server encodes it in data. */
const encodedTexts = (secret: Resource): [string, string][] => {
  const texts = field(secret.view, 'stringData')
  for (let i = 0; texts?.kind === 'map' && i < texts.content.length; i += 2) {
    const key = texts.content[i]!.value
    if (texts.content[i + 1]!.kind !== 'scalar')
      throw new KustomizeError(
        `failed to normalize stringData for ${idString(secret.currentId())}: read stringData: ` +
          `stringData value for key ${JSON.stringify(key)} must be a scalar`,
        { file: secret.origin.file, field: 'stringData' },
      )
  }
  return [...textsOf(secret.view!, 'stringData')].map(([key, text]) => [key, encodeBase64(text)])
}
