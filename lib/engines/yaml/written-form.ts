import { hasBreak } from './characters.ts'
import type { YamlNode } from './node.ts'
import { resolve } from './resolve.ts'

/** The tag to write, or '' for none: an explicit one, or one without which the text would be read as another type. */
export const tagToWrite = ({ tag, tagged, kind, value }: YamlNode): string => {
  if (tagged) return tag
  if (kind === 'map') return tag === '!!map' ? '' : tag
  if (kind === 'seq') return tag === '!!seq' ? '' : tag
  return tag === '!!str' || resolve(value, 'kyaml').tag === tag ? '' : tag
}

/** Whether a string would be read as another type without quotes. */
export const needsQuotes = ({ tag, tagged, value }: YamlNode): boolean =>
  tag === '!!str' && !tagged && resolve(value, 'kyaml').tag !== tag

/** A tag as written in a text: in full between `!<` and `>` if it has no handle, with characters that are invalid in a URI escaped. */
export const writtenTag = (tag: string): string => {
  const [, handle = '', suffix] = /(!!?)?(.*)/s.exec(tag)!
  const escaped = suffix!.replace(/[^\w;/?:@&=+$,.~*'()[\]-]/gu, character =>
    Array.from(Buffer.from(character), octet => `%${octet.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  )
  return handle === '' ? `!<${escaped}>` : handle + escaped
}

/** Whether a key can be written without a `?`. */
export const isSimpleKey = (key: YamlNode): boolean => {
  if (key.kind === 'alias') return key.value.length <= 128
  if (key.kind !== 'scalar') return key.content.length === 0
  return !hasBreak(key.value) && Buffer.byteLength(key.value) + tagToWrite(key).length <= 128
}
