import { checkLabelValue, checkSubdomain } from '../../foundations/kinds/names.ts'
import type { CopyOperation } from './copy.ts'
import { entriesOf, type Files } from './files.ts'

/** An item of `spec.artifacts`. */
export interface OutputArtifact {
  readonly name: string
  readonly copy: readonly CopyOperation[]
  readonly revision?: string
  readonly originRevision?: string
}

/** An artifact to build, with the labels of its ExternalArtifact. */
export interface ArtifactRequest extends OutputArtifact {
  readonly labels: Readonly<Record<string, string>>
}

/** What is wrong with a path pattern, or with what it found: nothing but another spec or another revision helps. The message is source-watcher's. */
export class InvalidPathPattern extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'InvalidPathPattern'
  }
}

type Captures = ReadonlyMap<string, string>

/** How many artifacts a generator may make; upstream has no limit. */
const maxArtifactsOfGenerator = 5_000

/**
 * The artifacts of a spec: as they are, or, with `spec.pathPattern`, once for each folder that the pattern matches. Names and labels get
 * captures in lower case, paths as they are. Fails with InvalidPathPattern.
 */
export const artifactRequests = (
  { pathPattern, artifacts }: { readonly pathPattern?: string; readonly artifacts: readonly OutputArtifact[] },
  sources: ReadonlyMap<string, Files>,
  maxArtifacts = maxArtifactsOfGenerator,
): readonly ArtifactRequest[] => {
  if (!pathPattern) return artifacts.map(artifact => ({ ...artifact, labels: {} }))
  const invalid = (why: string, cause?: unknown) =>
    new InvalidPathPattern(`pathPattern ${quoted(pathPattern)}: ${why}`, cause)
  const [, alias, pattern] = /^@([^/]*)\/(.*)$/s.exec(pathPattern) ?? []
  if (alias === undefined || pattern === undefined)
    throw new InvalidPathPattern(`invalid pathPattern format: ${pathPattern}`)
  const files = sources.get(alias)
  if (!files) throw invalid(`source alias ${alias} not found in local sources`)
  const match = compilePathPattern(pattern, invalid)
  const folderOf = new Map<string, string>()
  const requests: ArtifactRequest[] = []
  for (const { path, isFolder } of entriesOf(files)) {
    const captures = isFolder ? match(path) : undefined
    if (!captures) continue
    const lower = new Map(captures.entries().map(([name, value]) => [name, value.toLowerCase()] as const))
    for (const [name, value] of lower) {
      const problems = checkLabelValue(value)
      if (problems.length > 0)
        throw invalid(
          `captured value ${quoted(value)} for variable ${quoted(name)} is not a valid Kubernetes label value: ${problems.join('; ')}`,
        )
    }
    for (const artifact of artifacts) {
      const request = rendered(artifact, captures, lower, why =>
        invalid(`failed to render artifact ${artifact.name} for match ${path}: ${why}`),
      )
      const problems = checkSubdomain(request.name)
      if (problems.length > 0)
        throw invalid(
          `rendered artifact name ${quoted(request.name)} is not a valid Kubernetes object name: ${problems.join('; ')}`,
        )
      const other = folderOf.get(request.name)
      if (other !== undefined)
        throw invalid(
          `directories ${quoted(other)} and ${quoted(path)} both resolve to artifact name ${quoted(request.name)}`,
        )
      folderOf.set(request.name, path)
      requests.push(request)
      if (requests.length > maxArtifacts)
        throw invalid(
          `it makes more than ${maxArtifacts} artifacts: several ArtifactGenerators can share the directories`,
        )
    }
  }
  return requests
}

const quoted = (text: string): string => JSON.stringify(text)
const captureName = /^[A-Za-z_][A-Za-z0-9_]*$/

type Piece = { readonly text: string } | { readonly capture: string }

type Problem = 'open' | 'close' | 'empty' | 'name'

/** Splits `apps/{app}` into text and captures. `at` counts bytes, as in Go. */
const piecesOf = (template: string, fail: (problem: Problem, at: number, name: string) => Error): readonly Piece[] => {
  const pieces: Piece[] = []
  for (let at = 0; at < template.length; ) {
    const offset = () => Buffer.byteLength(template.slice(0, at))
    const character = template[at]!
    if (character === '}') throw fail('close', offset(), '')
    if (character !== '{') {
      const end = template.slice(at).search(/[{}]/)
      const text = end < 0 ? template.slice(at) : template.slice(at, at + end)
      pieces.push({ text })
      at += text.length
      continue
    }
    const end = template.indexOf('}', at)
    if (end < 0) throw fail('open', offset(), '')
    const capture = template.slice(at + 1, end)
    if (capture === '') throw fail('empty', offset(), '')
    if (!captureName.test(capture)) throw fail('name', offset(), capture)
    pieces.push({ capture })
    at = end + 1
  }
  return pieces
}

const notAName = (name: string): string =>
  `capture variable ${quoted(name)} must be a valid capture name matching [A-Za-z_][A-Za-z0-9_]*`

/** A text as a regular expression that matches it alone. */
const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** Compiles a pattern to what finds its captures in a path; undefined for a path that it does not match. */
const compilePathPattern = (pattern: string, invalid: (why: string) => Error) => {
  const pieces = piecesOf(pattern, (problem, at, name) => {
    if (problem === 'open') return invalid(`invalid capture starting at offset ${at}: missing closing brace`)
    if (problem === 'close') return invalid(`invalid capture ending at offset ${at}: missing opening brace`)
    return invalid(problem === 'empty' ? 'empty capture variable' : notAName(name))
  })
  const names: string[] = []
  for (const piece of pieces) {
    if (!('capture' in piece)) continue
    if (names.includes(piece.capture)) throw invalid(`duplicate capture variable ${quoted(piece.capture)}`)
    names.push(piece.capture)
  }
  const expression = new RegExp(
    `^${pieces.map(piece => ('text' in piece ? escaped(piece.text) : '([^/]+)')).join('')}$`,
    's',
  )
  return (path: string): Captures | undefined => {
    const found = expression.exec(path)
    return found ? new Map(names.map((name, at) => [name, found[at + 1]!])) : undefined
  }
}

/** Fills the captures into the name and the paths of an artifact. */
const rendered = (
  artifact: OutputArtifact,
  captures: Captures,
  lower: Captures,
  invalid: (why: string) => Error,
): ArtifactRequest => {
  const fill = (template: string, values: Captures): string => {
    const fail = (why: string) => invalid(`invalid template ${quoted(template)}: ${why}`)
    return piecesOf(template, (problem, at, name) => {
      if (problem === 'open') return fail(`capture starting at offset ${at} is missing closing brace`)
      if (problem === 'close') return fail(`capture ending at offset ${at} is missing opening brace`)
      return fail(problem === 'empty' ? 'empty capture variable' : notAName(name))
    })
      .map(piece => {
        if ('text' in piece) return piece.text
        const value = values.get(piece.capture)
        if (value === undefined) throw fail(`capture variable ${quoted(piece.capture)} is not defined by pathPattern`)
        return value
      })
      .join('')
  }
  return {
    ...artifact,
    name: fill(artifact.name, lower),
    copy: artifact.copy.map(copy => ({ ...copy, from: fill(copy.from, captures), to: fill(copy.to, captures) })),
    labels: Object.fromEntries(lower),
  }
}
