import type { YamlNode } from './node.ts'
import { resolve } from './resolve.ts'
import { analyzeScalar } from './scalar-analysis.ts'

/** A tag is written when it was written before, or when the text alone would be read as something else. */
export const tagToWrite = (node: YamlNode): { tag: string; quote: boolean } => {
  const { tag, kind, style, value } = node
  if (tag === '' || tag === '!') return { tag: '', quote: false }
  if (node.tagged) return { tag, quote: false }
  if (kind !== 'scalar') {
    const implied = kind === 'map' ? '!!map' : kind === 'seq' ? '!!seq' : ''
    return { tag: tag === implied ? '' : tag, quote: false }
  }
  if (tag === '!!str' && style !== '' && style !== 'flow') return { tag: '', quote: false }
  if (resolve(value, 'kyaml').tag === tag) return { tag: '', quote: false }
  return tag === '!!str' ? { tag: '', quote: true } : { tag, quote: false }
}

/** A tag as it stands in a text: in full between `!<` and `>` where no handle begins it, and with what no URI may hold escaped. */
export const writtenTag = (tag: string): string => {
  const [, handle = '', suffix] = /^(!!?)?(.*)$/s.exec(tag)!
  const escaped = suffix!.replace(/[^\w;/?:@&=+$,.~*'()[\]-]/gu, character =>
    Array.from(Buffer.from(character), octet => `%${octet.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  )
  return handle === '' ? `!<${escaped}>` : handle + escaped
}

/** Whether a key can stand before its `:` without a `?`. */
export const isSimpleKey = (key: YamlNode): boolean => {
  if (key.kind === 'alias') return key.value.length <= 128
  if (key.kind !== 'scalar') return key.content.length === 0
  return !analyzeScalar(key.value, 'v3').multiline && Buffer.byteLength(key.value) + tagToWrite(key).tag.length <= 128
}
