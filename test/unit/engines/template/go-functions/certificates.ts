/** Keys that Go and OpenSSL made, a certificate without version and extensions, and the certificates that sprig made with them. */
export interface RecordedCertificates {
  /** PEM, by the sort of key. */
  readonly keys: Readonly<Record<string, string>>
  readonly oldCertificate: string
  /** By what is asked for. */
  readonly made: Readonly<Record<string, string>>
  /** Messages, by the call. */
  readonly refused: Readonly<Record<string, string>>
}

const names = '(list "10.0.0.1" "fd00::1" "::ffff:10.0.0.2") (list "web.example" "*.web.example")'

/** A template makes a certificate $c with the keys, which are in the data by their names. */
export const wanted: Readonly<Record<string, string>> = {
  'an authority': 'genCAWithKey "my ca" 365 .rsa',
  'an authority beyond 2050': 'genCAWithKey "my@ca" 20000 .ecdsa',
  'an authority of letters that few have': 'genCAWithKey "ünser*=amt?" 1 .ed25519',
  'an authority without a name': 'genCAWithKey "" 0 .ed25519',
  'an authority with a key of 224 bits': 'genCAWithKey "ca" 1 .p224',
  'an authority with a key of 384 bits': 'genCAWithKey "ca" 1 .p384',
  'an authority with a key of 521 bits': 'genCAWithKey "ca" 1 .p521',
  'an authority with a key in the common form': 'genCAWithKey "ca" 1 .pkcs8',
  'a certificate of its own': `genSelfSignedCertWithKey "web" ${names} 30 .rsa`,
  'a certificate without a name': 'genSelfSignedCertWithKey "" nil (list "a.example") 1 .ed25519',
  'a certificate without names at all': 'genSelfSignedCertWithKey "" nil nil 1 .ed25519',
  'a certificate in the past': 'genSelfSignedCertWithKey "x" (list) (list) -1 .ecdsa',
  'a signed certificate': `genSignedCertWithKey "web" ${names} 30 (genCAWithKey "ca" 1 .rsa) .ecdsa`,
  'a certificate that is called like its issuer':
    'genSignedCertWithKey "ca" nil nil 1 (genCAWithKey "ca" 1 .rsa) .ed25519',
  'a certificate signed by one that has no identifier':
    'genSignedCertWithKey "web" nil nil 1 (genSelfSignedCertWithKey "self" nil nil 1 .ed25519) .rsa',
  'a certificate signed by one of old':
    'genSignedCertWithKey "web" nil (list "b.example") 1 (buildCustomCert .old .oldKey) .ed25519',
}

export const refused: readonly string[] = [
  ...['nope', '1.2.3.04', '1::2::3', '', '1.2.3', '::g', ':1:2', '1:2:3:4:5:6:7:8:9', '1.2.3.4.5', '1:2'].map(
    ip => `genSelfSignedCertWithKey "x" (list "${ip}") nil 1 .ed25519`,
  ),
  'genSelfSignedCertWithKey "x" (list 7) nil 1 .ed25519',
  'genSelfSignedCertWithKey "x" (list nil) nil 1 .ed25519',
  'genSelfSignedCertWithKey "x" nil (list 7) 1 .ed25519',
  'genSelfSignedCertWithKey "x" nil (list "ö.example") 1 .ed25519',
  'genSelfSignedCertWithKey "x" (list) "a" 1 .ed25519',
  'genSignedCertWithKey "x" nil nil 1 (dict "Cert" "a") .rsa',
  'genSignedCertWithKey "x" nil nil 1 nil .rsa',
  'genSignedCertWithKey "x" nil nil 1 (buildCustomCert .old (b64enc .p384)) .rsa',
  'genSignedCertWithKey "x" nil nil 1 (genCAWithKey "a" 1 .rsa) "nothing"',
  'genCAWithKey "x" 1 "nothing"',
  'genCAWithKey "x" 1 ""',
  'genCAWithKey "x" 1 .dsa',
  'genCAWithKey "x" 1 .oldCertificate',
  ...['FOO PRIVATE KEY', 'PRIVATE KEY X', 'CERTIFICATE', 'PUBLIC KEY', 'XPRIVATE KEY'].map(
    label => `genCAWithKey "x" 1 "-----BEGIN ${label}-----\\neA==\\n-----END ${label}-----\\n"`,
  ),
  'genCAWithKey "x" "y" .rsa',
  'genCAWithKey 1 1 .rsa',
  ...[
    'EC PRIVATE KEY-----\\nMHQCAQEEIFqd/+UHNgK7EeKVde6MS+1cqfOwQ2pvqT37JmBRbZECoAcGBSuBBAAKoUQDQgAE8YpDfE2B71qrxLI9YW7lyrzzNpSBJ+d6T/R77vsoKmTkHD9MUvh3nTdO7VKpsfDm0KSiA7EQ/49x0e/qTdkq4w==\\n-----END EC',
    'PRIVATE KEY-----\\nMIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQgWp3/5Qc2ArsR4pV17oxL7Vyp87BDam+pPfsmYFFtkQKhRANCAATxikN8TYHvWqvEsj1hbuXKvPM2lIEn53pP9Hvu+ygqZOQcP0xS+HedN07tUqmx8ObQpKIDsRD/j3HR7+pN2Srj\\n-----END',
  ].map(secp256k1 => `genCAWithKey "x" 1 "-----BEGIN ${secp256k1} PRIVATE KEY-----\\n"`),
  'genSignedCertWithKey "x" nil nil 1 (genCAWithKey "a" 1 .rsa) .dsa',
  'genSignedCert "x" nil nil 1 (dict "Cert" "a")',
  'genSignedCert "x" nil nil 1 "a"',
  'genSelfSignedCertWithKey "x" nil nil 1 7',
  'buildCustomCert (b64enc "-----BEGIN CERTIFICATE-----\\neA==\\n-----END CERTIFICATE-----\\n") .oldKey',
  'genPrivateKey "nonsense"',
  'genPrivateKey 1',
  'buildCustomCert "%" "x"',
  'buildCustomCert "eA==" "%"',
  'buildCustomCert "eA==" "eA=="',
  'buildCustomCert .old "eA=="',
  '(genCAWithKey "x" 1 .ed25519).Nope',
  'printf "%T" (genCAWithKey "x" 1 .ed25519)',
  'kindOf (genCAWithKey "x" 1 .ed25519)',
  ...[
    'decryptAES "k" "abc"',
    'encryptAES "k" ""',
    'decryptAES "k" ""',
    'htpasswd "a:b" "p"',
    'bcrypt (repeat 73 "x")',
    'bcrypt 1',
  ],
  ...[
    'derivePassword 1 "other" "p" "u" "s"',
    'derivePassword -1 "pin" "a" "b" "c"',
    'derivePassword "1" "pin" "a" "b" "c"',
  ],
  'derivePassword 4294967296 "none" "p" "u" "s"',
  'decryptAES "secretkey" "UmsVdWOd4PtqqeXf+KhAHaJ+uB9R22h0I7+3Xgf56D1FXAqhC+778PVNPWHxfW/0"',
]
