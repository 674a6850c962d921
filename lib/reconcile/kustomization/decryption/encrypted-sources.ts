import { posix } from 'node:path'
import type { FileSystem } from '../../../engines/kustomize/file-system.ts'
import type { FormatName } from '../../../engines/sops/formats/format.ts'
import { formatOfPath } from '../../../engines/sops/formats/format-of.ts'
import { isObject, type JsonObject, type JsonValue } from '../../../engines/yaml/json-value.ts'
import { parseYaml } from '../../../engines/yaml/parse.ts'
import { type Budget, BudgetExceeded } from '../../../foundations/budget/budget.ts'

/** A file that a build embeds, and that must be decrypted first; the format depends on its use. */
export interface SourceReference {
  readonly path: string
  readonly format: FormatName
  /** It changes objects of any kind; otherwise it becomes part of a Secret. */
  readonly isPatch?: true
}

const fileNames = ['kustomization.yaml', 'kustomization.yml', 'Kustomization']

/**
 * The inputs of secretGenerators and the patch files of a kustomization, its bases and its components, each once
 * (KS-248). Skips folders that can't be read, as the build reports them. Fails on paths outside the source, and with
 * BudgetExceeded.
 */
export const sourceReferences = (files: FileSystem, folder: string, budget: Budget): readonly SourceReference[] => {
  const found = new Map<string, SourceReference>()
  const visited = new Set<string>()
  const visit = (directory: string): void => {
    if (visited.has(directory)) return
    visited.add(directory)
    const kustomization = readKustomization(files, directory, budget)
    if (!kustomization) return
    for (const { path, format, isPatch } of referencesIn(kustomization)) {
      if (posix.isAbsolute(path)) continue
      const full = within(directory, path)
      found.set(full, { format, ...found.get(full), path: full, ...(isPatch && { isPatch }) })
    }
    for (const path of [...texts(kustomization.resources), ...texts(kustomization.components)]) {
      if (posix.isAbsolute(path) || isRemote(path)) continue
      const full = within(directory, path)
      if (files.list(full)) visit(full)
    }
  }
  visit(folder)
  return [...found.values()]
}

const referencesIn = (kustomization: JsonObject): SourceReference[] => [
  ...objects(kustomization.secretGenerator).flatMap(generator => [
    ...texts(generator.files).map(generatorFile),
    ...[...texts(generator.envs), ...texts([generator.env ?? null])].map(path => ({ path, format: envFormat(path) })),
  ]),
  ...objects(kustomization.patches)
    .flatMap(({ path }) => (typeof path === 'string' && path !== '' && !isRemote(path) ? [path] : []))
    .map(path => ({ path, format: formatOfPath(path), isPatch: true as const })),
]

/** `key=path` or a path; the key determines the format. */
const generatorFile = (text: string): SourceReference => {
  const at = text.indexOf('=')
  return { path: text.slice(at + 1), format: formatOfPath(at < 0 ? text : text.slice(0, at)) }
}

const envFormat = (path: string): FormatName => {
  const format = formatOfPath(path)
  return format === 'binary' ? 'dotenv' : format
}

const readKustomization = (files: FileSystem, directory: string, budget: Budget): JsonObject | undefined => {
  const content = fileNames.map(name => files.read(posix.join(directory, name))).find(file => file !== undefined)
  if (!content) return undefined
  try {
    const [document] = parseYaml(content, { budget })
    return isObject(document) ? document : undefined
  } catch (error) {
    if (error instanceof BudgetExceeded) throw error
    return undefined
  }
}

const within = (directory: string, path: string): string => {
  const full = posix.join(directory, path)
  if (full === '..' || full.startsWith('../')) {
    throw new Error(`path '${path}' in '${directory || '.'}' is outside the source`)
  }
  return full === '.' ? '' : full.replace(/\/$/, '')
}

const isRemote = (path: string): boolean => /^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(path)

const texts = (value: JsonValue | undefined): string[] =>
  Array.isArray(value) ? value.filter(item => typeof item === 'string') : []

const objects = (value: JsonValue | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])
