import { notAcceptable } from '../refusals.ts'

/** The representation that a client requests. */
export interface Representation {
  readonly format: 'json' | 'yaml'
  /** What the object is shown as. */
  readonly view: 'Object' | 'Table' | 'PartialObjectMetadata'
}

const formats: ReadonlyMap<string, Representation['format']> = new Map([
  ['application/json', 'json'],
  ['application/yaml', 'yaml'],
  ['application/*', 'json'],
  ['*/*', 'json'],
])

export interface MediaRange {
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
}

/** The ranges of an Accept header, in order of preference. */
export const mediaRanges = (accept: string): MediaRange[] => {
  const ranges = accept.split(',').map(text => {
    const [type = '', ...rest] = text.split(';').map(part => part.trim())
    const parameters = new Map(rest.map(part => pair(part)))
    return { type: type.toLowerCase(), parameters, quality: Number(parameters.get('q') ?? 1) }
  })
  return ranges.filter(({ type, quality }) => type !== '' && quality > 0).sort((a, b) => b.quality - a.quality)
}

const pair = (parameter: string): [string, string] => {
  const [key = '', value = ''] = parameter.split('=')
  return [key.toLowerCase(), value.replace(/^"|"$/g, '')]
}

/**
 * The first representation that both client and server support; JSON if the client has no preference. `views` are those that apply to the
 * request. Protobuf is never supported, so clients that also accept JSON get that. Fails with NotAcceptable.
 */
export const negotiated = (
  accept: string | null,
  views: readonly Representation['view'][] = ['Object'],
): Representation => {
  if (!accept) return { format: 'json', view: 'Object' }
  for (const { type, parameters } of mediaRanges(accept)) {
    const format = formats.get(type)
    const view = format && viewOf(parameters)
    if (view && views.includes(view)) return { format, view }
  }
  throw notAcceptable(['application/json', 'application/yaml'])
}

/** `as=Table;g=meta.k8s.io;v=v1`: API group and version of views are fixed. */
const viewOf = (parameters: ReadonlyMap<string, string>): Representation['view'] | undefined => {
  const view = parameters.get('as')
  if (view === undefined) return 'Object'
  const isServed = parameters.get('g') === 'meta.k8s.io' && parameters.get('v') === 'v1'
  if (!isServed) return undefined
  if (view === 'Table') return 'Table'
  return view === 'PartialObjectMetadata' || view === 'PartialObjectMetadataList' ? 'PartialObjectMetadata' : undefined
}
