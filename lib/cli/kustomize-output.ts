import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BuildResult, BuiltResource } from '../kustomize/build.ts'

export const isDirectory = (path: string): boolean =>
  path.endsWith('/') || statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** One file per object, named after its kind and name; the namespace goes in front when there are several. */
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

/** What a build read, and from which file and overlay each object came, as JSON. */
export const printInputs = ({ filesRead, resources }: BuildResult): string => {
  const objects = resources.map(({ object, origin }) => ({
    apiVersion: textOf(object, 'apiVersion'),
    kind: textOf(object, 'kind'),
    name: textOf(object, 'metadata', 'name'),
    namespace: textOf(object, 'metadata', 'namespace') || undefined,
    ...origin,
  }))
  return `${JSON.stringify({ files: filesRead, objects }, null, 2)}\n`
}

const textOf = (object: unknown, ...path: readonly string[]): string => {
  let value = object
  for (const key of path)
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : ''
  return typeof value === 'string' ? value : ''
}
