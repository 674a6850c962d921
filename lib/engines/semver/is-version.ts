import { parseVersion } from './version.ts'

/** Whether Masterminds/semver reads the text as a version. */
export const isVersion = (text: string): boolean => {
  try {
    parseVersion(text)
    return true
  } catch {
    return false
  }
}
