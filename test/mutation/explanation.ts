/** Why a change of the code may go unnoticed: no text that the room can be given makes it differ from the original. */
export interface Explanation {
  /** Below lib: `semver/version.ts`. */
  readonly file: string
  /** The line where the change begins, as it reads without indentation. */
  readonly line: string
  /** As the command prints it: `a > 0 → a >= 0`. */
  readonly change: string
  readonly why: string
}

/** One reason for many changes of a room: `const saved = because('…')`, `saved('version.ts', line, change)`. */
export const reasonsIn =
  (room: string) =>
  (why: string) =>
  (file: string, line: string, change: string): Explanation => ({ file: `${room}/${file}`, line, change, why })
