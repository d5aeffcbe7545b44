// Style sheets show controls that need a script only with this class.
document.documentElement.classList.add("js");
