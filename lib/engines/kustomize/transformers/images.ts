import { field, scalarNode, type YamlNode } from '../../yaml/node.ts'
import { applyFieldSpec, type FieldSpec } from '../field-spec.ts'
import type { ImageEntry } from '../kustomization.ts'
import { expectKind, setScalar } from '../node-path.ts'
import { compilePattern, type Matcher } from '../pattern.ts'
import type { ResourceChange } from '../resource.ts'

/** Changes names, tags and digests of images: in every list of containers, and at the fields of the specs. */
export const setImages = (image: ImageEntry, specs: readonly FieldSpec[]): ResourceChange => {
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
    for (const item of content) updateContainers(item, update)
    return
  }
  for (let i = 0; i < content.length; i += 2) {
    const { value: key } = content[i]!
    const value = content[i + 1]!
    updateContainers(value, update)
    if ((key !== 'containers' && key !== 'initContainers') || value.kind !== 'seq') continue
    for (const item of value.content) {
      expectKind(item, 'map')
      const image = field(item, 'image')
      if (image) update(image)
    }
  }
}

/**
 * Replaces name, tag or digest of an image that the entry's name matches. The function throws WrongKind for a field
 * that is no scalar.
 */
export const imageUpdate = (entry: ImageEntry): ((node: YamlNode) => void) => {
  const matches = imageMatcher(entry.name ?? '')
  return node => {
    expectKind(node, 'scalar')
    if (matches(node.value)) setScalar(node, scalarNode(changed(node.value, entry)))
  }
}

const TAG_AND_DIGEST = '(:[a-zA-Z0-9_.{}-]*)?(@[a-zA-Z0-9]+([.+_-][a-zA-Z0-9]+)*:[a-zA-Z0-9_.{}-]*)?$'
const BEHIND_NAME = new RegExp(`^${TAG_AND_DIGEST}`)

/** The name is a pattern; almost always it is a plain name, which needs no regular expression. */
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

/** Splits an image reference; the registry's port is not a tag. */
const splitImage = (image: string): { name: string; tag: string; digest: string } => {
  const slash = image.indexOf('/')
  const [reference, digest] = cut(image, image.indexOf('@', slash))
  const [name, tag] = cut(reference, reference.indexOf(':', slash))
  return { name, tag, digest }
}

const cut = (text: string, at: number): [string, string] =>
  at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
