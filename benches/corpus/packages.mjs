// @ts-check

/**
 * One version of a documentation site, as contained in a Debian package.
 * @typedef {object} CorpusPackage
 * @property {string} site the site that this is a version of
 * @property {string} version name of the version, unique in its site
 * @property {string} package Debian package
 * @property {string} suite Debian suite that carries it
 * @property {string} folder where its pages are, inside the unpacked package
 * @property {string} index the page to begin at, inside `folder`
 * @property {number} pages HTML pages counted in `countedIn`; a newer release of the package may have a few more or fewer
 * @property {string} countedIn the package release that `pages` was counted in
 */

/**
 * Every documentation package that the benches use; a new corpus is a new row.
 * @type {readonly CorpusPackage[]}
 */
export const corpusPackages = [
  {
    site: "postgresql-manual",
    version: "15",
    package: "postgresql-doc-15",
    suite: "bookworm",
    folder: "usr/share/doc/postgresql-doc-15/html",
    index: "index.html",
    pages: 1167,
    countedIn: "15.18-0+deb12u1",
  },
  {
    site: "postgresql-manual",
    version: "17",
    package: "postgresql-doc-17",
    suite: "trixie",
    folder: "usr/share/doc/postgresql-doc-17/html",
    index: "index.html",
    pages: 1143,
    countedIn: "17.11-0+deb13u1",
  },
  {
    site: "postgresql-manual",
    version: "18",
    package: "postgresql-doc-18",
    suite: "sid",
    folder: "usr/share/doc/postgresql-doc-18/html",
    index: "index.html",
    pages: 1148,
    countedIn: "18.6-3",
  },
  {
    site: "python-docs",
    version: "3.11",
    package: "python3.11-doc",
    suite: "bookworm",
    folder: "usr/share/doc/python3.11/html",
    index: "index.html",
    pages: 530,
    countedIn: "3.11.2-6+deb12u8",
  },
  {
    site: "python-docs",
    version: "3.13",
    package: "python3.13-doc",
    suite: "trixie",
    folder: "usr/share/doc/python3.13/html",
    index: "index.html",
    pages: 541,
    countedIn: "3.13.5-2+deb13u5",
  },
  {
    site: "gtk-manual",
    version: "4.8",
    package: "libgtk-4-doc",
    suite: "bookworm",
    folder: "usr/share/doc/libgtk-4-doc",
    index: "gtk4/index.html",
    pages: 9115,
    countedIn: "4.8.3+ds-2+deb12u1",
  },
  {
    site: "gtk-manual",
    version: "4.18",
    package: "libgtk-4-doc",
    suite: "trixie",
    folder: "usr/share/doc/libgtk-4-doc",
    index: "gtk4/index.html",
    pages: 10101,
    countedIn: "4.18.6+ds-2",
  },
  {
    site: "gtk-manual",
    version: "4.24",
    package: "libgtk-4-doc",
    suite: "sid",
    folder: "usr/share/doc/libgtk-4-doc",
    index: "gtk4/index.html",
    pages: 10357,
    countedIn: "4.24.1+ds-1",
  },
  {
    site: "openjdk-docs",
    version: "17",
    package: "openjdk-17-doc",
    suite: "bookworm",
    folder: "usr/share/doc/openjdk-17-jre-headless",
    index: "api/index.html",
    pages: 10141,
    countedIn: "17.0.19+10-1~deb12u2",
  },
  {
    site: "openjdk-docs",
    version: "21",
    package: "openjdk-21-doc",
    suite: "trixie",
    folder: "usr/share/doc/openjdk-21-jre-headless",
    index: "api/index.html",
    pages: 10232,
    countedIn: "21.0.13+9-1~deb13u2",
  },
  {
    site: "sqlite-docs",
    version: "3.40",
    package: "sqlite3-doc",
    suite: "bookworm",
    folder: "usr/share/doc/sqlite3",
    index: "index.html",
    pages: 766,
    countedIn: "3.40.1-2+deb12u2",
  },
  {
    site: "git-manual",
    version: "2.39",
    package: "git-doc",
    suite: "bookworm",
    folder: "usr/share/doc/git-doc",
    index: "index.html",
    pages: 242,
    countedIn: "1:2.39.5-0+deb12u3",
  },
  {
    site: "django-docs",
    version: "3.2",
    package: "python-django-doc",
    suite: "bookworm",
    folder: "usr/share/doc/python-django-doc/html",
    index: "index.html",
    pages: 692,
    countedIn: "3:3.2.25-0+deb12u7",
  },
  {
    site: "apache-manual",
    version: "2.4",
    package: "apache2-doc",
    suite: "bookworm",
    folder: "usr/share/doc/apache2-doc/manual/en",
    index: "index.html",
    pages: 244,
    countedIn: "2.4.71-1~deb12u1",
  },
  {
    site: "libadwaita-docs",
    version: "1.2",
    package: "libadwaita-1-doc",
    suite: "bookworm",
    folder: "usr/share/doc/libadwaita-1",
    index: "index.html",
    pages: 1020,
    countedIn: "1.2.2-1",
  },
  {
    site: "rust-docs",
    version: "1.63",
    package: "rust-doc",
    suite: "bookworm",
    folder: "usr/share/doc/rust-doc/html",
    index: "std/index.html",
    pages: 32101,
    countedIn: "1.63.0+dfsg1-2",
  },
];

/**
 * Returns the name of a row's folder in the cache: that of its package, with the suite where several suites are used.
 * @param {CorpusPackage} row
 */
export function cacheNameOf(row) {
  const isAlone = corpusPackages.filter((other) => other.package === row.package).length === 1;
  return isAlone ? row.package : `${row.package}-${row.suite}`;
}
