/** The files of a source by slash path, relative, without `.` and `..`; folders are only those that hold a file. */
export type SourceTree = ReadonlyMap<string, SourceFile>

export interface SourceFile {
  readonly content: Uint8Array
  readonly executable: boolean
}
