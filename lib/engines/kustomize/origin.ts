import type { NodeStyle } from '../yaml/node.ts'
import { resolve, type YamlSchema } from '../yaml/resolve.ts'
import { writeScalar } from '../yaml/write-scalar.ts'
import { parseRemoteTarget } from './remote-target.ts'
import type { Resource } from './resource.ts'
import { cleaned } from './tree-path.ts'

/** Where a resource came from, or what changed it, as recorded by the annotations of `buildMetadata`. */
export interface Origin {
  readonly path?: string | undefined
  readonly repo?: string
  readonly ref?: string
  readonly configuredIn?: string
  readonly configuredBy?: {
    readonly apiVersion: string
    readonly kind: string
    readonly name?: string
    readonly namespace?: string
  }
}

/** The source of what a kustomization refers to. */
export interface Source extends Origin {
  readonly path: string
}

export const ORIGIN_ANNOTATION = 'config.kubernetes.io/origin'
export const TRANSFORMATIONS_ANNOTATION = 'alpha.config.kubernetes.io/transformations'

const isText = (text: string, schema: YamlSchema): boolean => resolve(text, schema).tag === '!!str'

const styleOf = (text: string): NodeStyle => {
  if (text.includes('\n')) return 'literal'
  return isText(text, 'kyaml') && isText(text, 'kubernetes') ? '' : 'double'
}

const field = (pad: string, key: string, value: string): string[] => {
  const indent = pad.length + 2
  const width = Number.POSITIVE_INFINITY
  const scalar = writeScalar(value, styleOf(value), {
    emitter: 'v3',
    column: 0,
    indent,
    width,
    inFlow: false,
    isKey: false,
  })
  return `${pad}${key}: ${scalar.replace(/\n$/, '')}`.split('\n')
}

const lines = ({ path, repo, ref, configuredIn, configuredBy }: Origin): string[] => {
  const out: string[] = []
  const add = (pad: string, fields: Record<string, string | undefined>): void => {
    for (const [key, value] of Object.entries(fields)) if (value) out.push(...field(pad, key, value))
  }
  add('', { path, repo, ref, configuredIn })
  if (configuredBy) {
    out.push('configuredBy:')
    add('  ', configuredBy)
  }
  return out
}

const originText = (origin: Origin): string => `${lines(origin).join('\n')}\n`

const transformationText = (origin: Origin): string => {
  const [first, ...rest] = lines(origin)
  return `- ${[first, ...rest.map(line => line && `  ${line}`)].join('\n')}\n`
}

/** Writes the annotation, over an earlier origin. */
export const setOrigin = (resource: Resource, origin: Origin): void => {
  resource.setAnnotations(new Map([...resource.annotations(), [ORIGIN_ANNOTATION, originText(origin)]]))
}

/** Resources with a known origin keep it. */
export const setMissingOrigin = (resource: Resource, origin: Origin): void => {
  if (!resource.annotations().has(ORIGIN_ANNOTATION)) setOrigin(resource, origin)
}

/** Records a transformer on all resources; a resource without an origin was created by it. */
export const noteTransformer = (resources: readonly Resource[], origin: Origin): void => {
  for (const resource of resources) {
    const annotations = new Map(resource.annotations())
    if (annotations.has(ORIGIN_ANNOTATION)) {
      const before = annotations.get(TRANSFORMATIONS_ANNOTATION) ?? ''
      annotations.set(TRANSFORMATIONS_ANNOTATION, before + transformationText(origin))
    } else annotations.set(ORIGIN_ANNOTATION, originText(origin))
    resource.setAnnotations(annotations)
  }
}

/** The origin of an entry of a kustomization: a repository starts a new path. */
export const originOf = (source: Source, entry: string): Source => {
  const target = parseRemoteTarget(entry)
  if (target) return { path: target.path, repo: target.url, ...(target.ref && { ref: target.ref }) }
  return { ...source, path: cleaned(`${source.path}/${entry}`) }
}
