import { compareText } from '../../foundations/go/compare-text.ts'
import { field, isMissing, type YamlNode } from '../yaml/node.ts'
import { KustomizeError } from './kustomize-error.ts'

/** Kustomize requires a kind and, except for lists, a name: when it reads an object, and at the end of a build. */
export const validateMetadata = (node: YamlNode): void => {
  const kind = textOf(field(node, 'kind'))
  const name = textOf(field(field(node, 'metadata'), 'name'))
  if (kind === '') throw new KustomizeError(`missing kind in object ${shownMeta(node)}`, { field: 'kind' })
  if (!kind.endsWith('List') && name === '')
    throw new KustomizeError(`missing metadata.name in object ${shownMeta(node)}`, { field: 'metadata.name' })
}

const textOf = (node: YamlNode | undefined): string => (isMissing(node) ? '' : node.value)

/** An object's metadata as Go prints the struct. */
const shownMeta = (node: YamlNode): string => {
  const metadata = field(node, 'metadata')
  const map = (key: string): string => {
    const found = field(metadata, key)
    const content = found?.kind === 'map' ? found.content : []
    const entries = new Map<string, string>()
    for (let i = 0; i < content.length; i += 2) {
      const name = textOf(content[i])
      if (!entries.has(name)) entries.set(name, textOf(content[i + 1]))
    }
    const sorted = [...entries].sort(([a], [b]) => compareText(a, b))
    return `map[${sorted.map(entry => entry.join(':')).join(' ')}]`
  }
  const text = (key: string): string => textOf(field(metadata, key))
  const type = `{${textOf(field(node, 'apiVersion'))} ${textOf(field(node, 'kind'))}}`
  return `{${type} {{${text('name')} ${text('namespace')}} ${map('labels')} ${map('annotations')}}}`
}
