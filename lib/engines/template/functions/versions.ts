import { type FunctionMap, Int, int, Struct, TemplateFunction, type Value } from '../values/value.ts'

/** How versions are parsed and compared, passed in as this room has no semver library. All methods throw with a message for the user. */
export interface Versions<V = unknown> {
  parse(text: string): V
  /** Negative if `a` comes first. */
  compare(a: V, b: V): number
  /** Parses a range and returns a test of whether a version is within it. */
  matcher(constraint: string): (version: V) => boolean
  parts(version: V): VersionParts
}
export interface VersionParts {
  readonly major: number
  readonly minor: number
  readonly patch: number
  readonly prerelease: string
  readonly metadata: string
  readonly original: string
}

const TYPE = '*semver.Version'

const uint64 = (value: number): Int => new Int(BigInt(value), 'uint64')

/** sprig's functions for semantic versions. */
export const versionFunctions = <V>(versions: Versions<V>): FunctionMap => {
  const parsed = new WeakMap<Struct, V>()
  const part = (value: Value) => new TemplateFunction([], () => value)
  const structOf = (version: V): Struct => {
    const { major, minor, patch, prerelease, metadata, original } = versions.parts(version)
    const text = `${major}.${minor}.${patch}${prerelease && `-${prerelease}`}${metadata && `+${metadata}`}`
    const comparison = (judge: (sign: number) => Value) =>
      new TemplateFunction([TYPE], (other: Struct) => judge(Math.sign(versions.compare(version, parsed.get(other)!))))
    const methods = new Map([
      ['Major', part(uint64(major))],
      ['Minor', part(uint64(minor))],
      ['Patch', part(uint64(patch))],
      ['Prerelease', part(prerelease)],
      ['Metadata', part(metadata)],
      ['Original', part(original)],
      ['String', part(text)],
      ['Compare', comparison(int)],
      ['Equal', comparison(sign => sign === 0)],
      ['LessThan', comparison(sign => sign < 0)],
      ['GreaterThan', comparison(sign => sign > 0)],
    ])
    const fields = new Map<string, Value>([
      ['major', uint64(major)],
      ['minor', uint64(minor)],
      ['patch', uint64(patch)],
      ['pre', prerelease],
      ['metadata', metadata],
      ['original', original],
    ])
    const struct = new Struct(TYPE, fields, methods, () => text)
    parsed.set(struct, version)
    return struct
  }
  return new Map([
    ['semver', new TemplateFunction(['string'], (text: string) => structOf(versions.parse(text)))],
    [
      'semverCompare',
      new TemplateFunction(['string', 'string'], (constraint: string, text: string) =>
        versions.matcher(constraint)(versions.parse(text)),
      ),
    ],
  ])
}
