import { field, scalarNode, type YamlNode } from '../../yaml/node.ts'
import { applyFieldSpec, type FieldSpec } from '../field-spec.ts'
import type { ImageEntry } from '../kustomization.ts'
import { expectKind, setScalar } from '../node-path.ts'
import { compilePattern, type Matcher } from '../pattern.ts'
import type { Change } from '../resource.ts'

/** Changes names, tags and digests of images: in every list of containers, and wherever the specs say. */
export const setImages = (image: ImageEntry, specs: readonly FieldSpec[]): Change => {
  const update = imageUpdate(image)
  return resource => {
    if (!resource.node || resource.kind === 'CustomResourceDefinition') return
    updateContainers(resource.node, update)
    for (const spec of specs) applyFieldSpec(resource, spec, update)
  }
}

const updateContainers = (node: YamlNode, update: (image: YamlNode) => void): void => {
  const { content } = node
  if (node.kind === 'seq') {
    for (const item of content) if (item.content.length > 0) updateContainers(item, update)
  } else if (node.kind === 'map') {
    for (let i = 1; i < content.length; i += 2) {
      const value = content[i]!
      if (value.content.length === 0) continue
      updateContainers(value, update)
      const key = content[i - 1]!.value
      if ((key !== 'containers' && key !== 'initContainers') || value.kind !== 'seq') continue
      for (const item of value.content) {
        const image = field(item, 'image')
        if (image) update(image)
      }
    }
  }
}

export const imageUpdate = (entry: ImageEntry): ((node: YamlNode) => void) => {
  const isMeant = imageMatcher(entry.name ?? '')
  return node => {
    expectKind(node, 'scalar')
    if (isMeant(node.value)) setScalar(node, scalarNode(changed(node.value, entry)))
  }
}

const TAG_AND_DIGEST = '(:[a-zA-Z0-9_.{}-]*)?(@[a-zA-Z0-9]+([.+_-][a-zA-Z0-9]+)*:[a-zA-Z0-9_.{}-]*)?$'
const BEHIND_NAME = new RegExp(`^${TAG_AND_DIGEST}`)

/** The name is a pattern; almost always it is a plain name, which needs no engine. */
const imageMatcher = (name: string): Matcher => {
  if (/^[a-zA-Z0-9/_-]*$/.test(name))
    return image => image.startsWith(name) && BEHIND_NAME.test(image.slice(name.length))
  try {
    return compilePattern(`^${name}${TAG_AND_DIGEST}`)
  } catch {
    return () => false
  }
}

const changed = (image: string, { newName, newTag, digest: newDigest, tagSuffix }: ImageEntry): string => {
  let { name, tag, digest } = splitImage(image)
  if (newName) name = newName
  if (newTag) {
    tag = newTag
    digest = newDigest ?? ''
  } else if (newDigest) {
    tag = ''
    digest = newDigest
  } else if (tagSuffix) {
    tag += tagSuffix
    digest = ''
  }
  return `${name}${tag && `:${tag}`}${digest && `@${digest}`}`
}

/** Takes an image reference apart; the registry's port is no tag. */
export const splitImage = (image: string): { name: string; tag: string; digest: string } => {
  const slash = Math.max(image.indexOf('/'), 0)
  const at = image.indexOf('@', slash)
  const colon = image.indexOf(':', slash)
  if (at >= 0 && (colon < 0 || at < colon)) return { name: image.slice(0, at), tag: '', digest: image.slice(at + 1) }
  if (colon < 0) return { name: image, tag: '', digest: '' }
  const end = at < 0 ? image.length : at
  return { name: image.slice(0, colon), tag: image.slice(colon + 1, end), digest: image.slice(end + 1) }
}
