import { basename } from 'node:path/posix'
import type { Budget } from '../../../foundations/budget/budget.ts'
import { trimSpaceLeft } from '../../../foundations/go/white-space.ts'
import type { GeneratorEntry } from '../kustomization.ts'
import { KustomizeError, wrapError, wrapping } from '../kustomize-error.ts'
import type { Loader } from '../loader.ts'

/** Keys and values of generated data; values that aren't valid UTF-8 stay bytes. */
export type DataPairs = ReadonlyMap<string, string | Uint8Array>

const shownList = (list: readonly string[]): string => `[${list.join(' ')}]`

/** Reads a generator's sources: env files, literals, files, in this order. Keys must be unique. */
export const readPairs = (entry: GeneratorEntry, loader: Loader): DataPairs => {
  const { envs = [], literals = [], files = [] } = entry
  const pairs = new Map<string, string | Uint8Array>()
  const add = (key: string, value: string | Uint8Array): void => {
    if (pairs.has(key))
      throw new KustomizeError(`configmap ${entry.name} illegally repeats the key \`${key}\``, { field: key })
    pairs.set(key, value)
  }
  const all: [string, string | Uint8Array][] = []
  try {
    wrapping(`env source files: ${shownList(envs)}`, () => {
      for (const path of envs) for (const pair of envLines(loader.load(path), loader.budget)) all.push(pair)
    })
    wrapping(`literal sources ${shownList(literals)}`, () => {
      for (const literal of literals) all.push(parseLiteral(literal))
    })
    wrapping(`file sources: ${shownList(files)}`, () => {
      for (const source of files) {
        const { key, path } = parseFileSource(source)
        all.push([key, asText(loader.load(path))])
      }
    })
  } catch (error) {
    throw wrapError('loading KV pairs', error)
  }
  for (const [key, value] of all) add(key, value)
  return pairs
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const asText = (bytes: Uint8Array): string | Uint8Array => {
  try {
    return strict.decode(bytes)
  } catch {
    return bytes
  }
}

const envLines = (bytes: Uint8Array, budget: Budget): [string, string][] => {
  const pairs: [string, string][] = []
  for (const raw of linesOf(bytes, budget)) {
    const text = asText(raw)
    if (typeof text !== 'string')
      throw new KustomizeError(`line [${[...raw].join(' ')}] has invalid utf8 bytes : ${Buffer.from(raw).toString()}`)
    const line = trimSpaceLeft(text)
    const at = line.indexOf('=')
    const [key, value] = at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)]
    if (key !== '' && !key.startsWith('#')) pairs.push([key, value])
  }
  return pairs
}

/** Lines without their line breaks; strips a byte order mark from the first. */
const linesOf = (bytes: Uint8Array, budget: Budget): Uint8Array[] => {
  const lines = Buffer.from(bytes)
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '')
    .split('\n')
  budget.spend('nodes', lines.length)
  return lines.map(line => Buffer.from(line.replace(/\r$/, ''), 'latin1'))
}

const parseLiteral = (source: string): [string, string] => {
  const at = source.indexOf('=')
  if (at <= 0) throw new KustomizeError(`invalid literal source ${source}, expected key=value`, { field: 'literals' })
  return [source.slice(0, at), unquote(source.slice(at + 1))]
}

const unquote = (text: string): string => {
  const quote = text[0]
  const quoted = text.length >= 2 && (quote === '"' || quote === "'") && text.endsWith(quote)
  return quoted ? text.slice(1, -1) : text
}

const parseFileSource = (source: string): { key: string; path: string } => {
  const parts = source.split('=')
  if (parts.length === 1) return { key: basename(source), path: source }
  const [key, path] = parts as [string, string]
  const shown = JSON.stringify(source)
  if (parts.length > 2)
    throw new KustomizeError(`source ${shown} key name or file path contains '='`, { field: 'files' })
  if (key === '')
    throw new KustomizeError(`missing key name for file path ${JSON.stringify(path)} in source ${shown}`, {
      field: 'files',
    })
  if (path === '')
    throw new KustomizeError(`missing file path for key name ${JSON.stringify(key)} in source ${shown}`, {
      field: 'files',
    })
  return { key, path }
}
