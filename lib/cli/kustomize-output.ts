import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { BuildResult, BuiltResource } from '../engines/kustomize/build.ts'

export const isDirectory = (path: string): boolean =>
  path.endsWith('/') || statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** One file per object, named after its kind and name, preceded by the namespace if there are several. */
export const writeEach = (directory: string, resources: readonly BuiltResource[]): void => {
  mkdirSync(directory, { recursive: true })
  const namespaceOf = ({ object }: BuiltResource): string => textOf(object, 'metadata', 'namespace') || 'default'
  const several = new Set(resources.map(namespaceOf)).size > 1
  for (const resource of resources) {
    const { object } = resource
    const kind = [...textOf(object, 'apiVersion').split('/'), textOf(object, 'kind')].join('_')
    const name = `${kind}_${textOf(object, 'metadata', 'name')}.yaml`.toLowerCase()
    const file = several ? `${namespaceOf(resource).toLowerCase()}_${name}` : name
    writeFileSync(join(directory, file), resource.yaml)
  }
}

/** The files that a build read, and the file and overlay of each object, as JSON; paths are relative to this directory. */
export const printInputs = ({ filesRead, resources }: BuildResult): string => {
  const remote = new Set(filesRead.filter(file => file.remote).map(({ path }) => path))
  const shown = (path: string): string => (remote.has(path) ? path : relative(process.cwd(), `/${path}`) || '.')
  const objects = resources.map(({ object, origin }) => ({
    apiVersion: textOf(object, 'apiVersion'),
    kind: textOf(object, 'kind'),
    name: textOf(object, 'metadata', 'name'),
    namespace: textOf(object, 'metadata', 'namespace') || undefined,
    file: shown(origin.file),
    overlay: shown(origin.overlay),
  }))
  const files = filesRead.map(file => ({ ...file, path: shown(file.path) }))
  return `${JSON.stringify({ files, objects }, null, 2)}\n`
}

const textOf = (object: unknown, ...path: readonly string[]): string => {
  let value = object
  for (const key of path)
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : ''
  return typeof value === 'string' ? value : ''
}
